import type { LogEntry } from "../../src/resources/migration.ts";
import type { Job, Pod, SeenEvent } from "../../src/resources/objects.ts";
import { passingPattern } from "../../src/worker/protocol.ts";
import type { StateReason } from "./observed.ts";

/** Why a pod does not run, in words that tell the fix: from its status where that says it, else from events. */

const imageReasons = new Set([
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
]);

const short = (text: string | undefined, most = 300) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, most);

/** From the pod's own status; undefined when it says nothing of trouble. */
export function podReason(pod: Pod): StateReason | undefined {
  for (const container of pod.status?.containerStatuses ?? []) {
    const waiting = container.state?.waiting;
    if (!waiting?.reason || waiting.reason === "ContainerCreating" || waiting.reason === "PodInitializing") continue;
    if (imageReasons.has(waiting.reason))
      return {
        reason: "ImageUnavailable",
        message: `The node cannot get the worker's image ${container.image ?? ""} (${waiting.reason}): make the image available to the node, or correct image.* or worker.imagePullSecrets of the installation. The run starts by itself then.`,
      };
    return {
      reason: "PodCannotStart",
      message: `The worker's container cannot start: ${waiting.reason}: ${short(waiting.message)}`,
    };
  }
  const unscheduled = pod.status?.conditions?.find(
    (condition) => condition.type === "PodScheduled" && condition.status === "False",
  );
  const claim = /persistentvolumeclaim "([^"]*)" not found/.exec(unscheduled?.message ?? "")?.[1];
  if (claim !== undefined)
    return {
      reason: "VolumeClaimMissing",
      message: `The PersistentVolumeClaim ${claim} that the storage's volume.claimName names does not exist in this namespace: create it. The run starts by itself then.`,
    };
  if (unscheduled?.reason === "Unschedulable")
    return {
      reason: "Unschedulable",
      message: `No node can take the worker's pod: ${short(unscheduled.message).replace(/\.+$/, "")}. It starts by itself when there is room.`,
    };
  return undefined;
}

/** Whether a pod's own status leaves open why it waits, so that its events are worth reading. */
export const needsEvents = (pod: Pod): boolean =>
  pod.status?.phase === "Pending" && podReason(pod) === undefined && pod.metadata.deletionTimestamp === undefined;

const timeOf = (event: SeenEvent) =>
  event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "";

const latest = (events: readonly SeenEvent[], reason: string): SeenEvent | undefined =>
  events.filter((event) => event.reason === reason).sort((a, b) => timeOf(b).localeCompare(timeOf(a)))[0];

/** Milliseconds between two tries of a kubelet's mount, at most: what was said longer ago is fixed by now. */
const mountRetryMs = 130_000;

/** A Secret that an object names in its spec, and the volume that it is mounted as. */
export interface NamedSecret {
  namespace: string;
  /** Where it is named, as `spec.source`. */
  field: string;
  volume: string;
  name: string;
  key: string;
  /** The key's content. */
  holds: string;
  /** Where another key can be named, as `a new Migration`. */
  elsewhere: string;
}

/** From a waiting pod's events: every Secret and key that is not there, else any other mount that fails. */
export function mountReason(secrets: readonly NamedSecret[], events: readonly SeenEvent[]): StateReason | undefined {
  const failed = events.filter(({ reason }) => reason === "FailedMount");
  const last = latest(failed, "FailedMount");
  if (last === undefined) return undefined;
  const since = Date.parse(timeOf(last)) - mountRetryMs;
  const recent = failed.filter((event) => event === last || Date.parse(timeOf(event)) >= since);
  const [first, ...more] = secrets.flatMap((secret) => secretTrouble(secret, recent) ?? []);
  if (first === undefined)
    return { reason: "MountFailed", message: `The worker's pod cannot mount its files: ${short(last.message)}` };
  const said = [first, ...more].map(({ message }) => message);
  return { reason: first.reason, message: `${said.join(" ")} The run starts by itself then.` };
}

function secretTrouble(
  { namespace, field, volume, name, key, holds, elsewhere }: NamedSecret,
  events: readonly SeenEvent[],
): StateReason | undefined {
  const of = events.filter(({ message }) => message?.includes(`"${volume}"`));
  const message = latest(of, "FailedMount")?.message ?? "";
  if (message === "") return undefined;
  if (/references non-existent secret key/.test(message))
    return {
      reason: "SecretKeyMissing",
      message: `The Secret ${name} that ${field} names has no key ${key}: add the key with ${holds} to it, or name another key in ${elsewhere}.`,
    };
  if (/secrets? "[^"]*" not found/.test(message))
    return {
      reason: "SecretMissing",
      message: `The Secret ${name} that ${field} names does not exist in namespace ${namespace}: create it with ${holds} under the key ${key}.`,
    };
  return undefined;
}

/** From the events of a Job that has no pod: a quota or an admission rule that refuses it. */
export function jobReason(events: readonly SeenEvent[]): StateReason | undefined {
  const message = latest(events, "FailedCreate")?.message;
  if (message === undefined) return undefined;
  if (/exceeded quota|failed quota/i.test(message))
    return {
      reason: "QuotaExceeded",
      message: `The namespace's quota refuses the worker's pod: ${short(message)}. Raise the quota or free some of it; the run starts by itself then.`,
    };
  if (/violates PodSecurity/i.test(message))
    return {
      reason: "PodSecurityRefused",
      message: `The namespace's Pod Security level refuses the worker's pod: ${short(message)}`,
    };
  return { reason: "PodRefused", message: `The worker's pod is refused: ${short(message)}` };
}

/** Of a pod that was ended because its worker had said nothing for too long. */
export const silentReason = "WorkerSilent";

/** What ended the last pod of a Job that goes on, or of one that failed without a stored result. */
export function endReason(pod: Pod | undefined): StateReason {
  if (pod === undefined) return { reason: "PodGone", message: "the worker's pod is gone" };
  const disruption = pod.status?.conditions?.find(
    (condition) => condition.type === "DisruptionTarget" && condition.status === "True",
  );
  if (disruption?.reason === silentReason)
    return { reason: silentReason, message: short(disruption.message, 240).replace(/\.$/, "") };
  if (pod.status?.reason === "Evicted" || disruption)
    return {
      reason: "PodEvicted",
      message: `the pod was evicted from its node (${short(disruption?.message ?? pod.status?.message, 160)})`,
    };
  const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated;
  if (terminated?.reason === "OOMKilled")
    return { reason: "OutOfMemory", message: "the worker was killed because it ran out of its memory limit" };
  if (terminated) return { reason: "WorkerFailed", message: `the worker ended with exit code ${terminated.exitCode}` };
  return { reason: "WorkerFailed", message: short(pod.status?.message, 160) || "the worker's pod failed" };
}

/** The worker's own words for what ended its last pod in this run, with the engine's code. */
export function lastLoggedError({
  status,
}: {
  status?: { run?: number | undefined; log?: LogEntry[] | undefined } | undefined;
}): StateReason | undefined {
  const run = `${String(status?.run ?? 1).padStart(4, "0")}-`;
  const errors = (status?.log ?? []).filter((entry) => entry.level === "error" && entry.id.startsWith(run));
  const last = errors.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
  const { message, reason } = passingPattern.exec(last?.message ?? "")?.groups ?? {};
  return message === undefined || reason === undefined ? undefined : { reason, message, retryable: true };
}

/** How to run again, and what to do where a run took too long. */
export interface RetryAdvice {
  /** As `raise spec.attempt to run again`. */
  again: string;
  tooLong: string;
}

/** Why a Job failed for good, with the fix. */
export function jobFailure(
  job: Job,
  lastPod: Pod | undefined,
  { again, tooLong }: RetryAdvice,
  words?: StateReason,
): StateReason {
  const failed = job.status?.conditions?.find(
    (condition) => (condition.type === "Failed" || condition.type === "FailureTarget") && condition.status === "True",
  );
  if (failed?.reason === "DeadlineExceeded")
    return {
      reason: "RunTooLong",
      message: `The run took longer than one may take in this installation (limits.runHours), and was ended: ${tooLong}`,
      retryable: true,
    };
  const end = endReason(lastPod);
  const tries = job.status?.failed ?? 0;
  if (words && end.reason !== "OutOfMemory")
    return {
      reason: words.reason,
      message: `${words.message.replace(/\.$/, "")}. The run was tried ${tries > 1 ? `${tries} times` : "once"}: fix the cause, then ${again}.`,
      retryable: words.retryable,
    };
  const fix =
    end.reason === "OutOfMemory"
      ? "Raise worker.resources.limits.memory of the installation, then"
      : "See the pod's log, then";
  const why =
    failed?.reason === "BackoffLimitExceeded" && tries > 1
      ? `${tries} pods of the run failed; at last ${end.message}`
      : end.message;
  return {
    reason: end.reason === "OutOfMemory" ? end.reason : "WorkerFailed",
    message: `The run failed: ${why}. ${fix} ${again}.`,
    retryable: end.reason === "PodEvicted" || end.reason === "PodGone",
  };
}
