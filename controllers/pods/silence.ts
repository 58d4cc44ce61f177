import { type Client, ClusterError, kinds, type Pod } from "../../src/cluster/index.ts";
import { durationText } from "../../src/guard/text.ts";
import { podsOf, type Silence } from "../jobs/observed.ts";
import { silentReason } from "../jobs/state-reason.ts";

/**
 * Workers that say nothing any more: their node is lost, or their process hangs. A pod of a lost node stays "Running" for ever, and
 * nobody else notices. A worker reports every fifteen seconds at least, also while nothing changes.
 */
interface Silences {
  /** Of the newest pod of the Job, if it runs. `heard` is the last sign of it, whatever that is; it must change with each. */
  of(uid: string, pods: readonly Pod[], jobUid: string | undefined, heard: string | undefined): Silence | undefined;
  forget(uid: string): void;
}

/** `most`: milliseconds, 0 for ever. Counted by a steady clock from when this process first saw the last sign: no node's clock is trusted. */
export function createSilences(most: () => number, steady: () => number = () => performance.now()): Silences {
  const since = new Map<string, { sign: string; at: number }>();
  return {
    of(uid, pods, jobUid, heard) {
      const [newest] = jobUid === undefined ? [] : podsOf(pods, jobUid);
      if (newest?.status?.phase !== "Running") {
        since.delete(uid);
        return undefined;
      }
      const sign = `${newest.metadata.uid} ${heard ?? ""}`;
      const known = since.get(uid);
      if (known?.sign !== sign) since.set(uid, { sign, at: steady() });
      return { for: steady() - (since.get(uid)?.at ?? 0), most: most() };
    },
    forget: (uid) => since.delete(uid),
  };
}

interface Heard {
  status?: { heardAt?: string | undefined } | undefined;
}

/** Throws ClusterError `Conflict` where the worker has reported since the pass saw its object. */
export function requireSilent(live: Heard, seen: Heard): void {
  if (live.status?.heardAt !== seen.status?.heardAt) throw new ClusterError("Conflict", 409, "the worker has spoken");
}

/** Ends the pod of a silent worker: what is then observed of it. */
export async function endSilent(
  client: Client,
  namespace: string,
  pod: { name: string; uid: string },
  silentFor: number,
): Promise<{ ended: string } | { notEnded: string }> {
  try {
    return { ended: await endPod(client, namespace, pod, silentFor) };
  } catch (error) {
    if (!(error instanceof ClusterError && error.code === "Forbidden")) throw error;
    return { notEnded: error.message };
  }
}

/**
 * Ends a pod whose node may not answer, as Kubernetes does with those of a node that is deleted: its status says that it has failed,
 * by a disruption, so that the Job makes another at once and does not count it. A process that lives on is fenced off in the databases.
 * Answers what was said of it.
 */
async function endPod(
  client: Client,
  namespace: string,
  { name, uid }: { name: string; uid: string },
  silentFor: number,
): Promise<string> {
  const live = await client.get(kinds.pods, namespace, name);
  if (live?.metadata.uid !== uid) throw new ClusterError("Conflict", 409, "the pod is gone");
  const node = live.spec?.nodeName === undefined ? "" : ` on node ${live.spec.nodeName}`;
  const message = `the worker in pod ${name}${node} has not reported for ${durationText(Math.round(silentFor / 1000))}`;
  const condition = { type: "DisruptionTarget", status: "True", reason: silentReason, message };
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  await client.patchStatus(kinds.pods, namespace, name, {
    metadata: { uid },
    status: { phase: "Failed", reason: silentReason, message, conditions: [{ ...condition, lastTransitionTime }] },
  });
  await client.remove(kinds.pods, namespace, name, uid, undefined, 0);
  return `${message[0]?.toUpperCase()}${message.slice(1)}`;
}
