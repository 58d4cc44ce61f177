import { clean, durationText, sizeText } from "../../src/guard/text.ts";
import { reportRef } from "../../src/resources/archive/archive.ts";
import { lastEntries, withIds } from "../../src/resources/log.ts";
import type { Migration, Progress } from "../../src/resources/migration.ts";
import type { Report, RunOutcome } from "../../src/worker/protocol.ts";
import { reportName } from "../migration/names.ts";
import { type WorkerStatus, workerPart } from "../migration/status.ts";

/** From what a worker says to its part of the status: pure, and every text bounded and free of control characters. */

const workerLog = 30;

const progressText = (progress: Progress): string =>
  progress.phase === "finished" ? "100%" : `${progress.percent}% ${progress.phase}`;

const cleanProgress = (progress: Progress): Progress => ({
  ...progress,
  table: progress.table.map((row) => ({ ...row, name: clean(row.name, 256) })),
});

const cleanAssessment = (assessment: NonNullable<Report["assessment"]>): NonNullable<Report["assessment"]> => ({
  ...assessment,
  findings: assessment.findings.map(({ severity, ...words }) => ({
    severity,
    code: clean(words.code, 64),
    object: clean(words.object, 256),
    reason: clean(words.reason, 256),
    fix: clean(words.fix, 256),
  })),
});

/** The worker's part after this report: it is taken whole, but for log entries of earlier pods and runs, which stay. */
export function afterReport(migration: Migration, report: Report): WorkerStatus {
  const before = workerPart(migration.status);
  const run = migration.status?.run ?? 1;
  const type = report.type ?? before.type;
  const size = report.size ?? before.size;
  // A report that comes late says no less than what is known.
  const finished = Math.max(report.finished ?? 0, before.finished ?? 0);
  const assessment = report.assessment ? cleanAssessment(report.assessment) : before.assessment;
  const memory = report.assessment?.memory ?? before.memory;
  const progress = report.progress ? cleanProgress(report.progress) : before.progress;
  const said = report.log.map((entry) => ({ ...entry, message: clean(entry.message, 1024) }));
  const log = lastEntries(before.log ?? [], withIds(run, "w", said), workerLog);
  const columns = {
    ...(size === undefined ? {} : { size: sizeText(size) }),
    ...(progress === undefined ? {} : { progress: progressText(progress) }),
    ...(progress?.etaSeconds === undefined ? {} : { eta: durationText(progress.etaSeconds) }),
  };
  return {
    ...(type === undefined ? {} : { type }),
    ...(size === undefined ? {} : { size }),
    ...(memory === undefined ? {} : { memory }),
    ...(finished === 0 ? {} : { finished }),
    ...(assessment === undefined ? {} : { assessment }),
    ...(progress === undefined ? {} : { progress }),
    ...(Object.keys(columns).length > 0 ? { columns } : {}),
    ...(before.report === undefined ? {} : { report: before.report }),
    ...(before.result === undefined ? {} : { result: before.result }),
    ...(log.length > 0 ? { log } : {}),
  };
}

/** The worker's part with its result; the report's ConfigMap stands already. */
export function afterOutcome(migration: Migration, outcome: RunOutcome, stored: boolean, now: Date): WorkerStatus {
  const run = migration.status?.run ?? 1;
  const report = stored ? reportRef(reportName(migration.metadata.name, run), outcome) : undefined;
  const { eta: _eta, ...columns } = afterReport(migration, outcome.report).columns ?? {};
  return {
    ...afterReport(migration, outcome.report),
    ...(Object.keys(columns).length > 0 ? { columns } : {}),
    ...(report === undefined ? {} : { report }),
    result: {
      run,
      outcome: outcome.outcome,
      reason: clean(outcome.reason, 128),
      message: clean(outcome.message, 2048),
      ...(outcome.outcome === "failed" ? { retryable: outcome.retryable ?? false } : {}),
      finishedAt: now.toISOString(),
    },
  };
}
