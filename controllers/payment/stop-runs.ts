import { type Client, type Job, kinds } from "../../src/cluster/index.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";

/** Stops the runs of a Migration that is being deleted: nothing is copied after its hold is released. */
export async function stopRuns(
  client: Pick<Client, "list" | "remove">,
  mayAct: () => void,
  { metadata }: Migration,
): Promise<void> {
  const { namespace, uid } = metadata;
  const jobs: Job[] = await client.list(kinds.jobs, { namespace, labelSelector: `${labels.migrationUid}=${uid}` });
  for (const { metadata: job } of jobs) {
    mayAct();
    if (job.deletionTimestamp === undefined) await client.remove(kinds.jobs, namespace, job.name, job.uid ?? "");
  }
}
