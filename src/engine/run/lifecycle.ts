import { type Copied, type CopyHooks, type CopyReport, type CopyRequest, EngineError } from "../contract/index.ts";
import { refuseDifferences } from "../report/differences.ts";
import { notCopiedText } from "../report/not-copied.ts";
import type { Fence } from "./fence/fence.ts";
import { decidingOptions, reportFor } from "./fence/finished-options.ts";
import { releaseMemory } from "./memory/release.ts";
import { createProgress, type ProgressAccount } from "./progress.ts";
import { createThrottle, type Throttle } from "./throttle.ts";
import { createWarnings } from "./warnings.ts";
import { createWatchdog, type Diagnose } from "./watchdog/watchdog.ts";

/**
 * The life of a copy, once for all directions: the source is opened, the fence is taken, a result that an earlier worker
 * stored is returned; else the direction's steps run under the watchdog, and its report is stored before anyone hears of it.
 */

/** What a direction works with while a copy lives. */
export interface Life {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  /** For the report. */
  warn(words: string): void;
  /** The option `bandwidth`, over all streams. */
  throttle: Throttle;
  /** Ends with the caller's, and with the first failure. */
  signal: AbortSignal;
  /** Ends with the first failure alone, which is its reason. */
  failed: AbortSignal;
  /** The first failure is the reason by which everything else ends, in order; the caller hears of that one. */
  fail(error: unknown): void;
  /** What ends what was opened, last first, whatever becomes of the copy. It never rejects. */
  atEnd(end: () => Promise<unknown>): void;
}

/** What every fence of a copy's target is opened with. Only MySQL's opens the sessions that write, and limits their statements. */
export const fenceOptions = ({ request, hooks }: Life) => ({
  owner: request.owner,
  ownerName: request.ownerName,
  signal: hooks.signal,
  statementTimeout: request.options.statement_timeout,
  warn: (message: string) => hooks.log("warning", message),
});

/** What a direction tells of what it copied; the lifecycle adds type, times, warnings and what was made. */
export type DirectionResult = Omit<CopyReport, "type" | "started_at" | "finished_at" | "made" | "warnings">;

/** The steps of a direction, a phase each. `Run`: what they share. A step gets what the steps before it found. */
interface Steps<Run, Planned, Rows, Finished> {
  /** Plans every table and object, and makes the tables or finds those of an earlier attempt. */
  plan(run: Run): Promise<Planned>;
  copyRows(run: Run, planned: Planned): Promise<Rows>;
  /** Makes what needs the rows of every table: keys, views, code, rights. */
  finish(run: Run, planned: Planned, rows: Rows): Promise<Finished>;
  /** Compares both sides. */
  compare(run: Run, planned: Planned, rows: Rows, finished: Finished): Promise<DirectionResult>;
}

/** One direction of a copy. `Source`: what it opened and read of the source; `Target`: the fence of its target. */
export interface Direction<Source extends { size: number }, Target extends Fence<never>, Run, Planned, Rows, Finished>
  extends Steps<Run, Planned, Rows, Finished> {
  type: CopyReport["type"];
  /** Opens the source and looks at both servers; writes nothing. `size`: bytes. */
  open(life: Life): Promise<Source>;
  /** The first write. */
  fence(life: Life, source: Source): Promise<Target>;
  /** Who is asked what holds up a copy that does not go on. */
  diagnose(life: Life, source: Source, target: Target): Diagnose[];
  /** Opens what the steps need. */
  begin(life: Life, source: Source, target: Target): Promise<Run>;
  /** The error to end with, of the first failure, which is no stall: it may only tell that a successor has taken over. */
  cause(reason: unknown, life: Life, source: Source, target: Target): Promise<unknown>;
}

/** Errors: EngineError; the signal's reason when it was aborted. */
export async function runCopy<
  Source extends { size: number },
  Target extends Fence<never>,
  Run,
  Planned,
  Rows,
  Finished,
>(
  request: CopyRequest,
  hooks: CopyHooks,
  direction: Direction<Source, Target, Run, Planned, Rows, Finished>,
): Promise<Copied> {
  const startedAt = new Date().toISOString();
  const stop = new AbortController();
  const ends: (() => Promise<unknown>)[] = [];
  const progress = createProgress(hooks.progress);
  const { said, warn } = createWarnings(hooks);
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const life: Life = {
    request,
    hooks,
    progress,
    throttle: createThrottle(request.options.bandwidth, { signal }),
    warn,
    signal,
    failed: stop.signal,
    fail: (error) => stop.abort(error),
    atEnd: (end) => void ends.unshift(end),
  };
  progress.phase("connecting");
  try {
    const source = await direction.open(life);
    hooks.measured(source.size, direction.type);
    const fence = await direction.fence(life, source);
    life.atEnd(() => fence.close());
    const finish = async () => {
      await fence.drop();
      await fence.close();
    };
    const watchdog = createWatchdog({
      progress: () => progress.moved,
      diagnose: direction.diagnose(life, source, fence),
      stallTimeout: request.options.stall_timeout,
      fail: life.fail,
      now: () => performance.now(),
    });
    try {
      const saved = request.reset ? undefined : await fence.savedResult();
      if (saved !== undefined) {
        const report = reportFor(saved, request.options);
        hooks.log("info", "the copy was finished and verified by an earlier attempt");
        return { report, finish };
      }
      const result = await runSteps(progress, direction, await direction.begin(life, source, fence));
      const left = notCopiedText(result.inventory);
      if (left !== undefined) warn(`${left} (see the report)`);
      // The report of very many objects is made as text next, here and where it is sent.
      await releaseMemory();
      const report: CopyReport = {
        type: direction.type,
        ...result,
        warnings: [...said],
        started_at: startedAt,
        finished_at: new Date().toISOString(),
        // Rows that were put into tables of others are not ours to take out again.
        made: (await fence.made()).filter(({ kind }) => kind !== "rows"),
      };
      refuseDifferences(report);
      await fence.saveResult({ ...report, asked: decidingOptions(request.options) });
      await releaseMemory();
      progress.phase("finished");
      return { report, finish };
    } catch (error) {
      hooks.signal.throwIfAborted();
      if (!stop.signal.aborted) stop.abort(error);
      // What stopped the others is the cause; what they then say of their sessions is not.
      const { reason } = stop.signal;
      const isStall = reason instanceof EngineError && reason.code === "stalled";
      throw isStall ? reason : await direction.cause(reason, life, source, fence);
    } finally {
      watchdog.stop();
    }
  } catch (error) {
    hooks.signal.throwIfAborted();
    throw error;
  } finally {
    for (const end of ends) await end();
  }
}

async function runSteps<Run, Planned, Rows, Finished>(
  progress: ProgressAccount,
  steps: Steps<Run, Planned, Rows, Finished>,
  run: Run,
): Promise<DirectionResult> {
  progress.phase("schema");
  const planned = await steps.plan(run);
  progress.phase("copying");
  const rows = await steps.copyRows(run, planned);
  progress.phase("constraints");
  const finished = await steps.finish(run, planned, rows);
  progress.phase("verifying");
  return await steps.compare(run, planned, rows, finished);
}
