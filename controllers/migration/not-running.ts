import { isAlive, type Observed, type podsOf, type Trouble } from "./observed.ts";
import { endOf, lastWords, podTrouble } from "./trouble.ts";

/** Why the run's pod is not running. */
export function notRunning(observed: Observed, newest: ReturnType<typeof podsOf>[number] | undefined): Trouble {
  if (newest === undefined) return podless(observed);
  if (!isAlive(newest)) {
    if (newest.status?.phase === "Succeeded")
      return { reason: "PodEnded", message: "The worker's pod has ended; the Job is about to." };
    const end = endOf(newest);
    const words = end.reason === "WorkerFailed" ? lastWords(observed.migration)?.message.replace(/\.$/, "") : undefined;
    const said = words ?? `The last pod ended: ${end.message}`;
    return (
      observed.trouble ?? {
        reason: end.reason,
        message: `${said}; the Job starts another pod, which goes on.`,
      }
    );
  }
  return podTrouble(newest) ?? observed.trouble ?? { reason: "PodStarting", message: "The worker's pod is starting." };
}

export const podless = (observed: Observed): Trouble =>
  observed.trouble ?? { reason: "PodPending", message: "The Job has no pod yet." };
