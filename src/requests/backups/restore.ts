import { kinds } from "../../cluster/index.ts";
import type { CheckedUrl } from "../../guard/check.ts";
import { type Restore, restoreSpecSchema } from "../../resources/backup/restore.ts";
import type { BackupRun } from "../../resources/backup/run.ts";
import { labels } from "../../resources/group.ts";
import { Problem } from "../errors.ts";
import { nameOfMade } from "../migrations/keys/idempotency.ts";
import { checkOne } from "../migrations/view/urls.ts";
import type { ProbeCaller } from "../prober.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import { findRun, findRunsOwner, type RunsOwner } from "./find.ts";
import { jobState, requireReadable, restoreOf } from "./job-shown.ts";
import { deleteOldRestores } from "./kept.ts";
import { madeBefore, make, stamps } from "./make.ts";
import { marks } from "./marks.ts";
import { sealedTarget } from "./sealed.ts";
import type { RestoreInput, RestoreResponse } from "./shapes.ts";
import { converts, lookAtTarget, type SeenTarget, TargetNotEmpty } from "./target.ts";

export interface RestoreCall {
  /** Of the schedule, and of its run. */
  id: string;
  run: string;
  input: RestoreInput;
  asked: ProbeCaller;
  idempotencyKey?: string;
  /** With `allow_not_empty`: whether this is what the caller agreed to. Without it whatever is there is agreed to. */
  agreed?(seen: SeenTarget): boolean;
}

/**
 * Restores a completed run into a database, free of charge. Unless `allow_not_empty` is set, the prober looks at the target first. Throws
 * Problem `backups_disabled`, `not_found`, `other_team`, `state_conflict` for a run that is not completed, `url_refused`, `invalid`,
 * `target_unreachable`, `target_not_empty`, `idempotency_key_reused`, `limit_reached`, `busy`, `unavailable`.
 */
export async function restoreRun(world: World, caller: Caller, call: RestoreCall): Promise<RestoreResponse> {
  requireBackups(world);
  const { id, input, asked, idempotencyKey, agreed } = call;
  const of = {
    kind: kinds.restores,
    noun: "restore",
    name: nameOfMade(world, caller, `/api/backups/${id}/runs/${call.run}/restore`, idempotencyKey),
    keyed: idempotencyKey !== undefined,
    body: input,
  };
  const { owner, run, target } = await restorable(world, caller, call);
  // A repeat finds the target full, by the first.
  const before = await madeBefore<Restore>(world, caller, of);
  if (before !== undefined) return answer(before);
  let convert = converts(run, target.endpoint);
  if (!input.allow_not_empty || agreed !== undefined) {
    const seen = await lookAtTarget(world, caller, { owner, run, target, input, asked });
    convert = seen.converts;
    if (seen.objects > 0 && !(input.allow_not_empty && agreed?.(seen))) throw new TargetNotEmpty(seen);
  }
  await deleteOldRestores(world, owner.namespace);
  const made = await make(world, caller, {
    ...of,
    async draft(namespace) {
      const spec = restoreSpecSchema.parse({
        backupRun: run.metadata.name,
        allowNotEmpty: input.allow_not_empty,
        convert,
        ...(input.target_ca === undefined ? {} : { options: { target_ca: input.target_ca } }),
      });
      const place = { namespace, name: of.name };
      return {
        metadata: {
          ...place,
          labels: { [labels.account]: caller.account.metadata.name },
          annotations: { ...stamps(world, input), [marks.backup]: id },
        },
        spec: { ...spec, target: await sealedTarget(world, place, spec, input.target_url) },
      };
    },
  });
  return answer(made);
}

/** The run that can be restored into this target, whatever is in it. */
async function restorable(
  world: World,
  caller: Caller,
  { id, run: runId, input }: Pick<RestoreCall, "id" | "run" | "input">,
): Promise<{ owner: RunsOwner; run: BackupRun; target: CheckedUrl }> {
  const owner = await findRunsOwner(world, caller, id);
  const run = await findRun(world, owner, runId);
  const state = jobState(run);
  if (state !== "completed")
    throw new Problem("state_conflict", `Only a completed run can be restored. This run is ${state}.`);
  requireReadable(run);
  const target = checkOne("target_url", input.target_url, input.target_ca, world.settings.guard);
  return { owner, run, target };
}

/** The same for the first request and each repeat. */
const answer = ({ metadata, spec }: Restore): RestoreResponse => ({
  message: `The restore is queued${spec.convert ? ", and converts the backup for the target's engine" : ""}: poll it until its status is completed or failed. It is free of charge.`,
  restore: restoreOf({ metadata, spec }),
});
