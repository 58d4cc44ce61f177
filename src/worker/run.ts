import { assessFirst } from "../engine/assess/assess-first.ts";
import type { Assessment } from "../engine/assess/index.ts";
import type { CopyHooks, CopyRequest, EngineProgress } from "../engine/contract/index.ts";
import { hasReached } from "../engine/contract/phase.ts";
import { type PaceSample, withSample } from "../engine/run/pace.ts";
import { countedBytes } from "../engine/run/source-limit.ts";
import type { Redactor } from "../guard/redact.ts";
import { boundAssessment } from "../resources/assessment.ts";
import { runBackupWork } from "./backup.ts";
import { namedDatabase } from "./databases.ts";
import { untilDelivered } from "./deliver.ts";
import { dropCheckpoint, type ExitCode, explain, live, superseded, unreachable } from "./life.ts";
import * as outcomes from "./outcome.ts";
import type { Parts } from "./parts.ts";
import { toProgress } from "./progress.ts";
import { exitCodes, type Report, type WorkerAssignment } from "./protocol.ts";

/**
 * One pod's life: gets its work, copies, reports, and ends only when its result is stored, or when it is asked to stop or
 * told that it is not the current one. What is copied by then stands in the target's `_rowferry`, and so does a result
 * that could not be delivered: the next pod finds it there.
 */
export async function runWorker(parts: Parts): Promise<ExitCode> {
  const { operator, journal, terminated, random } = parts;
  const start = AbortSignal.any([terminated, AbortSignal.timeout(parts.startDeadlineMs)]);
  const answer = await untilDelivered(operator.work, start, random, (why) =>
    journal.write("warning", `Asking the operator for work: ${why}`),
  );
  if (answer?.kind === "superseded") return superseded(journal);
  if (answer?.kind !== "ok") {
    const why = answer === undefined ? "the operator gave no work in time" : answer.why;
    journal.write("error", `Nothing was copied: ${why}`);
    return exitCodes.retry;
  }
  const work = answer.body;
  return "kind" in work ? runBackupWork(work, { ...parts, backup: await parts.backup() }) : runWork(work, parts);
}

async function runWork(work: WorkerAssignment, parts: Parts): Promise<ExitCode> {
  const { redactor, journal } = parts;
  const state = createState(parts, work);
  if (work.isStored === true && !(await hasCheckpoint(work, parts))) {
    journal.write("info", "The run's result is stored, and nothing is left to do");
    return exitCodes.completed;
  }
  return live(parts, {
    what: "copy",
    report: state.report,
    stopping: "Stopping on request: copied tables stay recorded in the target, and the next pod takes over",
    async perform({ signal, log, changed }) {
      const request = await open(work, parts);
      const hooks = { signal, log, ...state.hooks(changed) };
      await assessFirst(request, hooks, parts.engine, (assessment) => {
        state.assessed(assessment);
        changed();
      });
      const copied = await parts.engine.copy(request, hooks);
      state.finished();
      const outcome = await outcomes.completed(copied.report, { state: state.report(), journal, redactor });
      return { outcome, afterStored: () => dropCheckpoint(copied, parts) };
    },
    explain(error) {
      const found = explain(error);
      // As long as no pod of the run has reached both databases it is most likely a wrong URL: the user should hear of it at
      // once, not after seven pods. Later it is a server that went away and may come back.
      const mayComeBack = work.reached || state.reached() || !unreachable.has(found.reason);
      return { ...found, anotherPod: found.retryable && mayComeBack };
    },
  });
}

/** Without its checkpoint a target must not be copied to again: it may be in use. Where nobody can tell, it is left alone. */
async function hasCheckpoint(work: WorkerAssignment, parts: Parts): Promise<boolean> {
  try {
    const { target, owner } = await open(work, parts);
    return (await parts.engine.foundRuns(target, parts.terminated)).some((run) => run.owner === owner);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    parts.journal.write("warning", `The target was not looked at for the table _rowferry: ${why}`);
    return false;
  }
}

/** The run's state, as the reports say it. */
function createState(
  { journal, now, monotonic, redactor }: Pick<Parts, "journal" | "now" | "monotonic" | "redactor">,
  { mostBytes, finished: before = 0 }: WorkerAssignment,
) {
  let measured: Pick<Report, "type" | "size"> = {};
  let assessed: Pick<Report, "assessment"> = {};
  let latest: EngineProgress | undefined;
  let samples: PaceSample[] = [];
  return {
    hooks: (changed: () => void): Pick<CopyHooks, "progress" | "measured"> => ({
      progress(progress) {
        latest = progress;
        changed();
      },
      measured(size, type) {
        measured = { type, size: Math.max(Math.round(size), 0) };
        changed();
      },
    }),
    assessed(assessment: Assessment) {
      assessed = { assessment: boundAssessment(cleaned(assessment, redactor)) };
    },
    reached: () => hasReached(latest?.phase),
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

async function open(work: WorkerAssignment, { redactor, mountsRoot = "" }: Parts): Promise<CopyRequest> {
  const { owner, ownerName, reset, madeIn, mostBytes, reached, finished = 0 } = work;
  const { source_ca, target_ca, ...options } = work.options;
  const made = work.made.map(({ kind, name, id }) => ({ kind, name, ...(id === undefined ? {} : { id }) }));
  const source = await namedDatabase("source", work.source, { redactor, mountsRoot, pem: source_ca });
  const target = await namedDatabase("target", work.target, { redactor, mountsRoot, pem: target_ca });
  return {
    ...{ owner, ownerName, source, target, options, reset, made },
    ...(madeIn === undefined ? {} : { madeIn }),
    ...(mostBytes === undefined ? {} : { mostBytes, isBegun: reached, finishedBefore: finished }),
  };
}
