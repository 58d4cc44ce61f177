import { type Client, type Job, type KubeObject, kinds, type Pod } from "../../src/cluster/index.ts";
import { isAlive, isFinished, podsOf, type StateReason } from "../jobs/observed.ts";
import { jobReason, mountReason, type NamedSecret, needsEvents } from "../jobs/state-reason.ts";

/** Events of a pod or Job are read when it has waited so long, in milliseconds. */
const patience = 1500;

interface Run {
  /** Its Job's uid. */
  recorded: string | undefined;
  /** Also where its worker has stored a result. */
  isOver: boolean;
  jobs: readonly Job[];
  pods: readonly Pod[];
  secrets: readonly NamedSecret[];
  now: Date;
}

/** Why the pod of a run's Job does not start, where only events say it. */
export async function reasonFromEvents(
  client: Client,
  { recorded, isOver, jobs, pods, secrets, now }: Run,
): Promise<StateReason | undefined> {
  const job = jobs.find(({ metadata }) => metadata.uid === recorded);
  // Of one that has ended its own status says why.
  if (job === undefined || isOver || isFinished(job)) return undefined;
  const waited = (object: KubeObject) => now.getTime() - Date.parse(object.metadata.creationTimestamp ?? "");
  const eventsOf = ({ metadata: { namespace, uid } }: KubeObject) =>
    client.list(kinds.seenEvents, {
      ...(namespace === undefined ? {} : { namespace }),
      fieldSelector: `involvedObject.uid=${uid}`,
      limit: 100,
    });
  const [pod] = podsOf(pods, job.metadata.uid ?? "");
  if (pod && isAlive(pod))
    return needsEvents(pod) && waited(pod) > patience ? mountReason(secrets, await eventsOf(pod)) : undefined;
  return waited(job) > patience ? jobReason(await eventsOf(job)) : undefined;
}
