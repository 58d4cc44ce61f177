import type { Assessment } from "../engine/assess.ts";
import { type Assessor, assessFirst } from "../engine/assess-first.ts";
import { type Copied, type CopyHooks, type CopyRequest, EngineError, type EngineProgress } from "../engine/contract.ts";
import { inTime } from "../engine/in-time.ts";
import { type Sample, withSample } from "../engine/pace.ts";
import { countedBytes } from "../engine/source-limit.ts";
import type { Redactor } from "../guard/redact.ts";
import { UrlError } from "../guard/url.ts";
import { boundAssessment } from "../resources/assessment.ts";
import { backoff, sleep } from "./backoff.ts";
import { openDatabase } from "./databases.ts";
import { untilAnswered } from "./deliver.ts";
import type { Journal } from "./journal.ts";
import type { Operator } from "./operator.ts";
import * as outcomes from "./outcome.ts";
import { toProgress } from "./progress.ts";
import { exitCodes, type Outcome, type Report, type Work } from "./protocol.ts";
import { type Reporter, startReporter } from "./reporter.ts";

/**
 * One pod's life: gets its work, copies, reports, and ends only when its result is stored, or when it is asked to stop or
 * told that it is not the current one. What is copied by then stands in the target's `_rowferry`, and so does a result
 * that could not be delivered: the next pod finds it there.
 */
interface Parts {
  operator: Operator;
  redactor: Redactor;
  journal: Journal;
  engine: Engine;
  /** Aborts when the pod is asked to stop (SIGTERM). */
  terminated: AbortSignal;
  now(): Date;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  random(): number;
  /** The folder below which the pod's volumes are mounted; empty in a container. */
  mountsRoot?: string;
  /** How long the operator may stay unreachable before there is work. */
  startDeadlineMs: number;
  /** How long the engine may take to end in order; within the pod's grace period. */
  stopDeadlineMs: number;
}

/** The engine, as the worker uses it. */
export interface Engine extends Assessor {
  copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied>;
}

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export async function runWorker(parts: Parts): Promise<ExitCode> {
  const { operator, journal, terminated, random } = parts;
  const start = AbortSignal.any([terminated, AbortSignal.timeout(parts.startDeadlineMs)]);
  const answer = await untilAnswered(operator.work, start, random, (why) =>
    journal.write("warning", `Asking the operator for work: ${why}`),
  );
  if (answer?.kind === "superseded") return superseded(journal);
  if (answer?.kind !== "ok") {
    const why = answer === undefined ? "the operator gave no work in time" : answer.why;
    journal.write("error", `Nothing was copied: ${why}`);
    return exitCodes.retry;
  }
  return runWork(answer.body, parts);
}

async function runWork(work: Work, parts: Parts): Promise<ExitCode> {
  const { operator, redactor, journal, terminated } = parts;
  const replaced = new AbortController();
  const ending = AbortSignal.any([terminated, replaced.signal]);
  const state = createState(parts, work);
  const reporter = startReporter({
    state: state.report,
    send: operator.progress,
    superseded: () => replaced.abort(),
    reachable: (reached, why) =>
      journal.write(
        reached ? "info" : "warning",
        reached ? "The operator is reached again" : `The operator is not reached, the copy goes on: ${why}`,
      ),
    refused: (why) => journal.write("warning", `The operator does not take the report: ${why}`),
    random: parts.random,
  });
  const write: CopyHooks["log"] = (level, message) => {
    journal.write(level, message);
    reporter.changed();
  };
  const conclude = async (outcome: Outcome, code: ExitCode): Promise<ExitCode> => {
    await reporter.stop();
    const answer = await untilAnswered(
      (signal) => operator.result(outcome, signal),
      ending,
      parts.random,
      (why) => journal.write("warning", `The result is not stored yet: ${why}`),
    );
    if (answer?.kind === "ok") return code;
    if (answer?.kind === "superseded" || replaced.signal.aborted) return superseded(journal);
    journal.write("error", `The result could not be stored: ${answer?.why ?? "the worker was asked to stop"}`);
    return exitCodes.retry;
  };

  try {
    const request = await open(work, parts);
    const hooks = { signal: ending, log: write, ...state.hooks(reporter) };
    const assessAndCopy = async () => {
      await assessFirst(request, hooks, parts.engine, (assessment) => {
        state.assessed(assessment);
        reporter.changed();
      });
      return parts.engine.copy(request, hooks);
    };
    const copied = await settled(assessAndCopy(), ending, parts.stopDeadlineMs);
    state.finished();
    const said = { state: state.report(), journal, redactor };
    const code = await conclude(outcomes.completed(copied.report, said), exitCodes.completed);
    if (code === exitCodes.completed) await finish(copied, parts);
    return code;
  } catch (error) {
    if (replaced.signal.aborted || (error instanceof EngineError && error.code === "superseded")) {
      await reporter.stop();
      return superseded(journal);
    }
    if (terminated.aborted) {
      journal.write("info", "Asked to stop: what is copied stays recorded in the target, and the next pod takes over");
      return lastWord(reporter, state.report, operator, 2_000);
    }
    const { reason, message, ...explained } = explain(error);
    const retryable = explained.retryable && (work.reached || state.reached() || !unreachable.has(reason));
    write("error", retryable ? `${message} (${reason}); another pod tries again` : message);
    if (retryable) return lastWord(reporter, state.report, operator, 5_000);
    return conclude(outcomes.failed(reason, message, { state: state.report(), journal, redactor }), exitCodes.failed);
  }
}

/** The run's state, as the reports say it. */
function createState(
  { journal, now, monotonic, redactor }: Pick<Parts, "journal" | "now" | "monotonic" | "redactor">,
  { mostBytes, finished: before = 0 }: Work,
) {
  let measured: Pick<Report, "type" | "size"> = {};
  let assessed: Pick<Report, "assessment"> = {};
  let latest: EngineProgress | undefined;
  let samples: Sample[] = [];
  return {
    hooks: (reporter: Reporter): Pick<CopyHooks, "progress" | "measured"> => ({
      progress(progress) {
        latest = progress;
        reporter.changed();
      },
      measured(size, type) {
        measured = { type, size: Math.max(Math.round(size), 0) };
        reporter.changed();
      },
    }),
    assessed(assessment: Assessment) {
      assessed = { assessment: boundAssessment(cleaned(assessment, redactor)) };
    },
    reached: () => latest !== undefined && latest.phase !== "connecting",
    finished() {
      if (latest !== undefined) latest = { ...latest, phase: "finished" };
    },
    report(): Report {
      if (latest !== undefined) samples = withSample(samples, latest, monotonic());
      const progress = latest === undefined ? {} : { progress: toProgress(latest, samples, now()) };
      const finished = mostBytes === undefined ? {} : { finished: before + countedBytes(latest) };
      return { ...measured, ...finished, ...assessed, ...progress, log: journal.recent() };
    },
  };
}

/** The words of an assessment without a secret; names are data and stay. */
function cleaned(assessment: Assessment, redactor: Redactor): Assessment {
  const findings = assessment.findings.map((finding) => ({ ...finding, reason: redactor.clean(finding.reason) }));
  return { ...assessment, findings };
}

async function open(work: Work, { redactor, mountsRoot = "" }: Parts): Promise<CopyRequest> {
  const { owner, ownerName, reset, madeIn, mostBytes, reached, finished = 0 } = work;
  const { source_ca, target_ca, ...options } = work.options;
  const made = work.made.map(({ kind, name, id }) => ({ kind, name, ...(id === undefined ? {} : { id }) }));
  const source = await namedDatabase("source", mountedBelow(mountsRoot, work.source), redactor, source_ca);
  const target = await namedDatabase("target", mountedBelow(mountsRoot, work.target), redactor, target_ca);
  return {
    ...{ owner, ownerName, source, target, options, reset, made },
    ...(madeIn === undefined ? {} : { madeIn }),
    ...(mostBytes === undefined ? {} : { mostBytes, isBegun: reached, finishedBefore: finished }),
  };
}

const mountedBelow = (root: string, location: Work["source"]): Work["source"] =>
  "folder" in location ? { ...location, folder: root + location.folder } : location;

async function namedDatabase(
  role: "source" | "target",
  location: Work["source"],
  redactor: Redactor,
  pem: string | undefined,
) {
  try {
    return await openDatabase(location, redactor, { pem, option: `${role}_ca` });
  } catch (error) {
    if (error instanceof UrlError)
      throw new EngineError(error.code, `The ${role}'s connection URL is not accepted: ${error.message}`);
    const cause = error instanceof Error ? error.message : String(error);
    throw new EngineError("url_unreadable", `The ${role}'s connection URL cannot be read: ${cause}`, { cause: error });
  }
}

/** Within the pod's grace period, whatever the engine does. */
const settled = <T>(work: Promise<T>, ending: AbortSignal, deadlineMs: number): Promise<T> =>
  inTime(
    work,
    ending,
    deadlineMs,
    () => new EngineError("stop_overdue", "The copy did not end in time when it was asked to stop"),
  );

/** Drops `_rowferry`; the result is stored, so that a failure here costs the run nothing but a table left in the target. */
async function finish(copied: Copied, { journal, random, terminated, stopDeadlineMs }: Parts): Promise<void> {
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
async function lastWord(reporter: Reporter, state: () => Report, operator: Operator, ms: number): Promise<ExitCode> {
  await reporter.stop();
  const answer = await operator.progress({ ...state(), isLast: true }, AbortSignal.timeout(ms));
  return answer.kind === "superseded" ? exitCodes.superseded : exitCodes.retry;
}

function superseded(journal: Journal): ExitCode {
  journal.write("info", "This pod is not the current run's: it stops");
  return exitCodes.superseded;
}

/**
 * As long as no pod of the run has reached both databases it is most likely a wrong URL: the user should hear of it at
 * once, not after seven pods. Later it is a server that went away and may come back.
 */
const unreachable = new Set(["connection_refused", "connection_timeout", "host_not_found"]);

function explain(error: unknown): { reason: string; message: string; retryable: boolean } {
  if (error instanceof EngineError) {
    const message = error.message.charAt(0).toUpperCase() + error.message.slice(1);
    return { reason: error.code, message, retryable: error.retryable };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { reason: "internal_error", message: `An error that Rowferry did not expect: ${message}`, retryable: false };
}
