import { type Copied, EngineError } from "../engine/contract/index.ts";
import { inTime } from "../engine/run/watchdog/in-time.ts";
import type { Redactor } from "../guard/redact.ts";
import { backoff, sleep } from "./backoff.ts";
import { untilDelivered } from "./deliver.ts";
import type { Journal } from "./journal.ts";
import type { OperatorClient } from "./operator-client.ts";
import * as outcomes from "./outcome.ts";
import { exitCodes, passingMessage, type Report, type RunOutcome } from "./protocol.ts";
import { type Reporter, startReporter } from "./reporter.ts";

/**
 * One pod's life once it has its work, whatever that is: reports while it works, and ends only when its result is stored, or
 * when it is asked to stop or replaced by another pod.
 */

export interface LifeParts {
  operator: OperatorClient;
  redactor: Redactor;
  journal: Journal;
  /** Aborts when the pod is asked to stop (SIGTERM). */
  terminated: AbortSignal;
  random(): number;
  /** How long the work may take to end in order; within the pod's grace period. */
  stopDeadlineMs: number;
}

export interface LifeHooks {
  signal: AbortSignal;
  log(level: "info" | "warning" | "error", message: string): void;
  /** What `report` returns has changed. */
  changed(): void;
}

interface Body {
  /** As `copy`: what goes on while the operator is away. */
  what: string;
  /** The state as it is now. */
  report(): Report;
  perform(hooks: LifeHooks): Promise<{ outcome: RunOutcome; afterStored?(): Promise<void> }>;
  explain(error: unknown): Explained & { anotherPod: boolean };
  /** For the log when it is asked to stop. */
  stopping: string;
}

/** An error's reason, message, and whether it may pass by itself. */
interface Explained {
  reason: string;
  message: string;
  retryable: boolean;
}

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export async function live(parts: LifeParts, body: Body): Promise<ExitCode> {
  const { operator, redactor, journal, terminated } = parts;
  const replaced = new AbortController();
  const ending = AbortSignal.any([terminated, replaced.signal]);
  const reporter = startReporter({
    state: body.report,
    send: operator.progress,
    superseded: () => replaced.abort(),
    reachable: (reached, why) =>
      journal.write(
        reached ? "info" : "warning",
        reached ? "The operator is reached again" : `The operator is unreachable, the ${body.what} continues: ${why}`,
      ),
    refused: (why) => journal.write("warning", `The operator does not take the report: ${why}`),
    random: parts.random,
  });
  const write: LifeHooks["log"] = (level, message) => {
    journal.write(level, message);
    reporter.changed();
  };
  const conclude = async (outcome: RunOutcome, code: ExitCode): Promise<ExitCode> => {
    await reporter.stop();
    const answer = await untilDelivered(
      (signal) => operator.result(outcome, signal),
      ending,
      parts.random,
      (why) => journal.write("warning", `The result is not stored yet: ${why}`),
    );
    if (answer?.kind === "ok") return code;
    if (answer?.kind === "superseded" || replaced.signal.aborted) return superseded(journal);
    journal.write("error", `The result could not be stored: ${answer?.why ?? "the worker received a request to stop"}`);
    return exitCodes.retry;
  };

  try {
    const work = body.perform({ signal: ending, log: write, changed: reporter.changed });
    const { outcome, afterStored } = await settled(work, ending, parts.stopDeadlineMs);
    const code = await conclude(outcome, exitCodes.completed);
    if (code === exitCodes.completed) await afterStored?.();
    return code;
  } catch (error) {
    if (replaced.signal.aborted || (error instanceof EngineError && error.code === "superseded")) {
      await reporter.stop();
      return superseded(journal);
    }
    if (terminated.aborted) {
      journal.write("info", body.stopping);
      return lastWord(reporter, body.report, operator, 2_000);
    }
    const { anotherPod, ...why } = body.explain(error);
    write("error", anotherPod ? passingMessage(why) : why.message);
    if (anotherPod) return lastWord(reporter, body.report, operator, 5_000);
    return conclude(outcomes.failed(why, { state: body.report(), redactor }), exitCodes.failed);
  }
}

/** Within the pod's grace period, whatever the work does. */
const settled = <T>(work: Promise<T>, ending: AbortSignal, deadlineMs: number): Promise<T> =>
  inTime(work, ending, deadlineMs, () => new EngineError("stop_overdue", "The work did not stop in time on request"));

/** Drops `_rowferry`; the result is stored, so that a failure here costs the run nothing but a table left in the target. */
export async function dropCheckpoint(
  copied: Copied,
  { journal, random, terminated, stopDeadlineMs }: LifeParts,
): Promise<void> {
  const wait = backoff(500, 4_000, random);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settled(copied.finish(), terminated, stopDeadlineMs);
    } catch (error) {
      if (attempt < 4 && !terminated.aborted) {
        await sleep(wait(), terminated);
        continue;
      }
      const why = error instanceof Error ? error.message : String(error);
      return journal.write("warning", `The table _rowferry is left in the target and may be dropped by hand: ${why}`);
    }
  }
}

/** Sends the state once more, so that its last entry is seen, but does not wait for long. */
async function lastWord(
  reporter: Reporter,
  state: () => Report,
  operator: OperatorClient,
  ms: number,
): Promise<ExitCode> {
  await reporter.stop();
  const answer = await operator.progress({ ...state(), isLast: true }, AbortSignal.timeout(ms));
  return answer.kind === "superseded" ? exitCodes.superseded : exitCodes.retry;
}

export function superseded(journal: Journal): ExitCode {
  journal.write("info", "This pod is not the current run's: it stops");
  return exitCodes.superseded;
}

/** Another kind of error than the engine's is unexpected. */
export function explain(error: unknown): Explained {
  if (error instanceof Error && "code" in error && "retryable" in error && typeof error.code === "string") {
    const message = error.message.charAt(0).toUpperCase() + error.message.slice(1);
    return { reason: error.code, message, retryable: error.retryable === true };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { reason: "internal_error", message: `An error that Rowferry did not expect: ${message}`, retryable: false };
}

/** Errors after which a wrong URL is more likely than a server that comes back. */
export const unreachable = new Set(["connection_refused", "connection_timeout", "host_not_found"]);
