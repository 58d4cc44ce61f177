import type { Client, Job } from "../../src/cluster/index.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { Candidate } from "../jobs/candidate.ts";
import type { JobCreation, Slot } from "../jobs/observed.ts";
import type { Slots } from "../jobs/slots.ts";
import type { WorkerTemplate } from "../jobs/template.ts";

/** What a pass does beside the status: each act checks first at the API server that what the pass saw still holds. */
export interface Performer<Act, Observed> {
  /** Throws ClusterError `NotLeader` where this process may not act any more. */
  mayAct(): void;
  /** Does it, and returns what is observed then. */
  perform(act: Act, observed: Observed): Promise<Observed>;
}

export interface PerformerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  template: () => WorkerTemplate;
  /** Shared by all that run as Jobs. */
  slots: Slots;
  now: () => Date;
}

/**
 * Makes the Job of a run in a slot, which it gives back if that fails or is refused. Whether there is a slot is asked again: the pass may
 * have waited for the API server since its look, and the line may have changed.
 */
export async function startJob(
  { slots, now }: PerformerOptions,
  uid: string,
  run: number,
  { candidate, make }: { candidate: () => Candidate; make: () => Promise<JobCreation> },
): Promise<{ made: JobCreation } | { slot: Slot }> {
  const slot = slots.look(uid);
  if (!slot.free) return { slot };
  slots.starts(uid, run);
  try {
    const made = await make();
    if (made.outcome !== "made") slots.refused(candidate(), made, now().getTime());
    return { made };
  } catch (error) {
    slots.failed(uid);
    throw error;
  }
}

/** Looks at the API server whether a Job that the cache lacks is gone. */
export async function confirmGone<Observed extends { jobs: readonly Job[] }>(
  { client }: PerformerOptions,
  namespace: string,
  { name, uid }: { name: string; uid: string },
  observed: Observed,
): Promise<Observed & { confirmedGone?: true }> {
  const live = await client.get(kinds.jobs, namespace, name);
  return live?.metadata.uid === uid
    ? { ...observed, jobs: [...observed.jobs, live] }
    : { ...observed, confirmedGone: true };
}
