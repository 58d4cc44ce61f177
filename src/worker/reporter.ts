import { backoff, sleep } from "./backoff.ts";
import type { OperatorResponse } from "./operator-client.ts";
import type { Report } from "./protocol.ts";

/**
 * Sends the run's state while the copy goes on: the whole of it, the latest only, at most once a second, one request at
 * a time. The copy never waits for it. While the operator cannot be reached it keeps trying, with longer waits.
 */
export interface Reporter {
  /** Something changed. Cheap: the state is taken when it is sent. */
  changed(): void;
  /** Ends the sending; resolves when no request is under way. */
  stop(): Promise<void>;
}

interface Settings {
  /** The state as it is now. */
  state(): Report;
  send(report: Report, signal: AbortSignal): Promise<OperatorResponse<null>>;
  /** The operator said that this pod is not the current run's. Called once; nothing is sent after it. */
  superseded(): void;
  /** The operator was reached again, or not any more; for the pod's own log. */
  reachable(reached: boolean, why: string): void;
  /** The operator will not take the report: a fault in one of the two, told once. */
  refused(why: string): void;
  random(): number;
  leastMs?: number;
  mostMs?: number;
  /** Sent after this time even if nothing changed: tells the operator that the pod lives, and the pod that it is current. */
  heartbeatMs?: number;
}

export function startReporter(settings: Settings): Reporter {
  const { leastMs = 1_000, mostMs = 10_000, heartbeatMs = 15_000 } = settings;
  const stopped = new AbortController();
  let wake = () => {};
  let dirty = true;

  async function loop(): Promise<void> {
    const hear = listener(settings);
    let wait = backoff(leastMs, mostMs, settings.random);
    while (!stopped.signal.aborted) {
      if (!dirty) await changedWithin(heartbeatMs);
      if (stopped.signal.aborted) return;
      dirty = false;
      const answer = await settings.send(settings.state(), stopped.signal);
      if (answer.kind === "superseded") return settings.superseded();
      if (stopped.signal.aborted) return;
      hear(answer);
      const lost = answer.kind === "unreachable";
      if (lost) dirty = true;
      else wait = backoff(leastMs, mostMs, settings.random);
      await sleep(lost ? Math.max(wait(), leastMs) : leastMs, stopped.signal);
    }
  }

  async function changedWithin(ms: number): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    await sleep(ms, AbortSignal.any([woken.signal, stopped.signal]));
  }

  const running = loop();
  return {
    changed() {
      dirty = true;
      wake();
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** Tells what changed between one answer and the next. */
function listener(settings: Settings): (answer: OperatorResponse<null>) => void {
  let last: OperatorResponse<null>["kind"] = "ok";
  return (answer) => {
    if (answer.kind === "unreachable" && last !== "unreachable") settings.reachable(false, answer.why);
    if (answer.kind !== "unreachable" && last === "unreachable") settings.reachable(true, "");
    if (answer.kind === "refused" && last !== "refused") settings.refused(answer.why);
    last = answer.kind;
  };
}
