import { clean, sizeText } from "../../src/guard/text.ts";
import { reportRef } from "../../src/resources/archive/archive.ts";
import { lastEntries, withIds } from "../../src/resources/log.ts";
import type { Report, RunOutcome } from "../../src/worker/protocol.ts";
import { type WorkerStatus, workerPart } from "./status.ts";
import type { Subject } from "./subject.ts";

/** From a worker's report to its part of the status: pure, and every text bounded and free of control characters. */

const workerLog = 30;

type BackupProgress = NonNullable<Report["backup"]>;

/** `43% copying`; without a total only the phase. */
function progressText({ phase, bytes }: BackupProgress): string {
  if (phase === "finished") return "100%";
  if (bytes.total <= 0) return phase;
  return `${Math.min(99, Math.floor((bytes.done / bytes.total) * 100))}% ${phase}`;
}

function withLog(before: WorkerStatus, report: Report): WorkerStatus {
  const said = report.log.map((entry) => ({ ...entry, message: clean(entry.message, 1024) }));
  const log = lastEntries(before.log ?? [], withIds(1, "w", said), workerLog);
  return { ...before, ...(log.length > 0 ? { log } : {}) };
}

/** The log alone: of a removal, which changes nothing that the run's status says. */
export const withReportedLog = ({ status }: Subject, report: Report): WorkerStatus =>
  withLog(workerPart(status), report);

export function afterReport(subject: Subject, report: Report): WorkerStatus {
  const before = workerPart(subject.status);
  const progress = report.backup ?? before.progress;
  const columns = {
    ...before.columns,
    ...(report.size === undefined ? {} : { size: sizeText(report.size) }),
    ...(progress === undefined ? {} : { progress: progressText(progress) }),
  };
  return withLog(
    {
      ...before,
      ...(progress === undefined ? {} : { progress }),
      ...(Object.keys(columns).length > 0 ? { columns } : {}),
    },
    report,
  );
}

/** `configMap`: with the report, where it stands. */
export function afterOutcome(subject: Subject, outcome: RunOutcome, now: Date, configMap?: string): WorkerStatus {
  const reported = afterReport(subject, outcome.report);
  const { backup: facts } = outcome;
  const report = configMap === undefined ? undefined : reportRef(configMap, outcome);
  const texts = Object.fromEntries(
    (["location", "place", "manifestDigest", "engine", "serverVersion"] as const).flatMap((field) =>
      facts?.[field] === undefined ? [] : [[field, clean(facts[field], 1024)]],
    ),
  );
  return {
    ...reported,
    ...(facts ? { tables: facts.tables, rows: facts.rows } : {}),
    ...(facts?.size === undefined
      ? {}
      : { size: facts.size, columns: { ...reported.columns, size: sizeText(facts.size) } }),
    ...(facts?.stored === undefined ? {} : { stored: facts.stored }),
    ...(facts && subject.kind === "Restore" ? { seconds: facts.seconds } : {}),
    ...texts,
    ...(report === undefined ? {} : { report }),
    result: {
      run: 1,
      outcome: outcome.outcome,
      reason: clean(outcome.reason, 128),
      message: clean(outcome.message, 2048),
      finishedAt: now.toISOString(),
    },
  };
}
