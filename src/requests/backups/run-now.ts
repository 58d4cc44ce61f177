import { kinds } from "../../cluster/index.ts";
import { type BackupRun, runSpecSchema } from "../../resources/backup/run.ts";
import { labels } from "../../resources/group.ts";
import { Problem } from "../errors.ts";
import { signature } from "../keys.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import { findBackup, runsOf } from "./find.ts";
import { jobState, runView } from "./job-shown.ts";
import { mostRuns } from "./kept.ts";
import { madeBefore, make, stamps } from "./make.ts";
import type { RunResponse } from "./shapes.ts";

/** Hex digits behind `m` in a run's name: with the schedule's name it fits into a Job's. */
const digits = 11;

/**
 * Takes a backup now, also of a suspended schedule. A schedule has one run at a time. Throws Problem `backups_disabled`, `not_found`,
 * `other_team`, `state_conflict` while another run is not finished, `idempotency_key_reused`, `limit_reached`, `busy`, `unavailable`.
 */
export async function runNow(
  world: World,
  caller: Caller,
  id: string,
  input: { verify: boolean },
  idempotencyKey?: string,
): Promise<RunResponse> {
  requireBackups(world);
  const schedule = await findBackup(world, caller, id);
  const { namespace, name } = schedule.metadata;
  const of = {
    kind: kinds.backupRuns,
    noun: "backup run",
    name: `${name}-m${suffix(world, caller, id, idempotencyKey)}`,
    keyed: idempotencyKey !== undefined,
    body: input,
  };
  const before = await madeBefore<BackupRun>(world, caller, of);
  const verifications = input.verify ? 1 : 0;
  if (before !== undefined) return answer(before, id, verifications);
  const runs = await runsOf(world, { namespace, name, id });
  if (runs.length >= mostRuns)
    throw new Problem(
      "limit_reached",
      `A schedule has at most ${mostRuns} runs: set its retention, which deletes older ones.`,
    );
  const unfinished = runs.find((run) => {
    const state = jobState(run);
    return state === "pending" || state === "in_progress";
  });
  if (unfinished !== undefined)
    throw new Problem(
      "state_conflict",
      `The run ${unfinished.metadata.name} of this schedule is ${jobState(unfinished)}: wait until it is completed or failed.`,
    );
  const made = await make(world, caller, {
    ...of,
    draft: async () => ({
      metadata: {
        namespace,
        name: of.name,
        labels: { [labels.account]: caller.account.metadata.name },
        annotations: stamps(world, input),
      },
      spec: runSpecSchema.parse({ schedule: name, verifications }),
    }),
  });
  return answer(made, id, verifications);
}

function suffix(world: World, { account, team }: Caller, id: string, key: string | undefined): string {
  if (key === undefined) return Buffer.from(world.randomBytes(digits)).toString("hex").slice(0, digits);
  const path = `/api/backups/${id}/run`;
  return signature(world.secret, "idempotency-name", account.metadata.name, team.metadata.name, path, key)
    .toString("hex")
    .slice(0, digits);
}

/** The same for the first request and each repeat, although the schedule's policy may have raised `verifications` since. */
const answer = ({ metadata, spec }: BackupRun, id: string, verifications: number): RunResponse => ({
  message: "The backup is queued: poll the run until its status is completed or failed.",
  run: runView({ metadata, spec: { ...spec, verifications } }, id),
});
