import { kinds } from "../../cluster/index.ts";
import { Problem } from "../errors.ts";
import { digestFor, wasDone, withAction } from "../migrations/keys/action-key.ts";
import { change } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import { findRun, findRunsOwner } from "./find.ts";
import { awaitsVerification, jobState, requireReadable, runView } from "./job-shown.ts";
import { marks } from "./marks.ts";
import type { RunResponse } from "./shapes.ts";

/** `spec.verifications` goes no higher. */
const most = 1000;

/**
 * Asks for a verification of a completed run, whatever the schedule's policy: a restore into a throw-away server, compared with the backup. One that
 * waits already is enough. Throws Problem `backups_disabled`, `not_found`, `other_team`, `state_conflict`, `limit_reached`, `busy`.
 */
export async function verifyRun(
  world: World,
  caller: Caller,
  { id, run, idempotencyKey }: { id: string; run: string; idempotencyKey?: string },
): Promise<RunResponse> {
  requireBackups(world);
  const owner = await findRunsOwner(world, caller, id);
  const { metadata } = await findRun(world, owner, run);
  const digest = digestFor(world, caller, `/api/backups/${id}/runs/${run}/verify`, idempotencyKey);
  const raised = await change(world, kinds.backupRuns, metadata.namespace, metadata.name, (live) => {
    const state = live.metadata.uid === metadata.uid ? jobState(live) : undefined;
    if (state === undefined) throw gone();
    if (digest !== undefined && wasDone(live, digest)) return undefined;
    if (state !== "completed")
      throw new Problem("state_conflict", `Only a completed run can be verified. This run is ${state}.`);
    requireReadable(live);
    if (awaitsVerification(live)) return undefined;
    if (live.spec.verifications >= most)
      throw new Problem("limit_reached", `A run is verified at most ${most} times: take another backup.`);
    const marked = digest === undefined ? {} : { [marks.actions]: withAction(live, digest) };
    return {
      ...live,
      metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, ...marked } },
      spec: { ...live.spec, verifications: live.spec.verifications + 1 },
    };
  });
  if (raised === undefined) throw gone();
  return {
    message: "The verification is queued: poll the run until its verification is verified or failed.",
    run: runView(raised, owner.id),
  };
}

const gone = () => new Problem("not_found", "The run was deleted meanwhile.");
