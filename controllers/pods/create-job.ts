import { alreadyExists, type Client, ClusterError, isObjectRefusal, type Job, kinds } from "../../src/cluster/index.ts";
import { apiVersion } from "../../src/resources/group.ts";
import type { JobCreation } from "../jobs/observed.ts";

/**
 * Creates a Job for the owner of this uid, or adopts the Job of this name that an earlier pass created and whose status was lost.
 * `accept` may reject such a Job by throwing.
 */
export async function createJob(
  client: Client,
  { namespace, uid }: { namespace: string; uid: string },
  job: Job,
  accept?: (found: Job) => Promise<void>,
): Promise<JobCreation> {
  const { name } = job.metadata;
  try {
    const { metadata } = await client.create(kinds.jobs, job);
    return { outcome: "made", name: metadata.name, uid: metadata.uid ?? "" };
  } catch (error) {
    if (isObjectRefusal(error)) {
      const { message, namespaceEnds } = error;
      return { outcome: "refused", message, namespaceEnds };
    }
    if (!alreadyExists(error)) throw error;
  }
  const found = await client.get(kinds.jobs, namespace, name);
  if (!found || found.metadata.deletionTimestamp) throw new ClusterError("Conflict", 409, "the Job is being deleted");
  const ours = found.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.apiVersion === apiVersion);
  if (!ours) return { outcome: "taken", name };
  await accept?.(found);
  return { outcome: "made", name, uid: found.metadata.uid ?? "" };
}
