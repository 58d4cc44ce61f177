import { Interrupted } from "../../dev/terminal/command.ts";

const graceMs = 20_000;

/**
 * Ends this process, and its servers with it, when what a signal aborted is not over in time: work that waits for something
 * that never comes looks at no signal.
 */
export function endInTime(signal: AbortSignal, ms = graceMs): void {
  signal.addEventListener("abort", () => {
    const { reason } = signal as { reason: unknown };
    setTimeout(() => process.exit(reason instanceof Interrupted ? reason.exitCode : 1), ms).unref();
  });
}
