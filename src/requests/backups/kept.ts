import { kinds } from "../../cluster/index.ts";
import type { Restore } from "../../resources/backup/restore.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { jobState } from "./job-shown.ts";

/** What one team takes of the cluster's storage is bounded by numbers: nothing of this costs anything. */

export const mostSchedules = 100;
/** Of one schedule; `retention` deletes older ones. */
export const mostRuns = 1000;

/** Restores of a team that wait or run. */
export const mostUnfinished = 20;
/** Restores of a team that are over and still shown. */
const mostEnded = 100;

const isUnfinished = (one: Restore): boolean => ["pending", "in_progress"].includes(jobState(one) ?? "");

/** Throws Problem `limit_reached`. */
export async function deleteOldRestores({ client }: Pick<World, "client">, namespace: string): Promise<void> {
  // Verifications are the operator's own.
  const all = (await client.list(kinds.restores, { namespace })).filter(({ spec }) => !spec.verification);
  if (all.filter(isUnfinished).length >= mostUnfinished)
    throw new Problem(
      "limit_reached",
      `The team has ${mostUnfinished} restores that are not finished: wait until one of them is completed or failed.`,
    );
  const newestFirst = (a: Restore, b: Restore) =>
    b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp);
  const ended = all.filter((one) => jobState(one) !== undefined && !isUnfinished(one)).sort(newestFirst);
  for (const { metadata } of ended.slice(mostEnded - 1))
    await client.remove(kinds.restores, metadata.namespace, metadata.name, metadata.uid);
}
