import { Interrupted, signalCode } from "./exit.ts";

/** Ctrl-C: the first ends what runs in order, a second one ends the process at once. */

/** One key press reaches a process twice where a parent passes it on as well. Milliseconds. */
const sameForMs = 250;

interface Signals {
  on(signal: Interrupted["signal"], hear: () => void): unknown;
}

export function listenForSignals(
  signals: Signals,
  { now, leave }: { now: () => number; leave: (code: number) => void },
): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    signals.on(signal, () => {
      if (controller.signal.aborted) {
        if (now() - first > sameForMs) leave(signalCode(signal));
        return;
      }
      first = now();
      controller.abort(new Interrupted(signal));
    });
  }
  return controller.signal;
}
