import type { LogEntry } from "../../src/resources/migration.ts";
import { isAlive, type podsOf, type StateReason } from "./observed.ts";
import { endReason, lastLoggedError, podReason } from "./state-reason.ts";

/** What of an object and of its pods' events counts here. */
interface WaitingPod {
  subject: { status?: { run?: number | undefined; log?: LogEntry[] | undefined } | undefined };
  trouble?: StateReason;
}

/** Why the run's pod is not running. */
export function notRunning(
  { subject, trouble }: WaitingPod,
  newest: ReturnType<typeof podsOf>[number] | undefined,
): StateReason {
  if (newest === undefined) return trouble ?? podPending;
  if (!isAlive(newest)) {
    if (newest.status?.phase === "Succeeded")
      return { reason: "PodEnded", message: "The worker's pod has ended; the Job is about to." };
    const end = endReason(newest);
    const words = end.reason === "WorkerFailed" ? lastLoggedError(subject)?.message.replace(/\.$/, "") : undefined;
    const said = words ?? `The last pod ended: ${end.message}`;
    return (
      trouble ?? {
        reason: end.reason,
        message: `${said}; the Job starts another pod, which continues.`,
      }
    );
  }
  return podReason(newest) ?? trouble ?? { reason: "PodStarting", message: "The worker's pod is starting." };
}

const podPending: StateReason = { reason: "PodPending", message: "The Job has no pod yet." };

export const podless = ({ trouble }: Pick<WaitingPod, "trouble">): StateReason => trouble ?? podPending;
