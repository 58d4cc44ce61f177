import type { CopyReport } from "../engine/contract/index.ts";
import { cleanReport } from "../engine/report/clean.ts";
import { notCopiedText } from "../engine/report/not-copied.ts";
import type { Redactor } from "../guard/redact.ts";
import { counted, cut } from "../guard/text.ts";
import { packArchive } from "./archive.ts";
import type { Journal } from "./journal.ts";
import type { Report, RunOutcome } from "./protocol.ts";

/** What is said at the end of a run. */

interface Said {
  state: Report;
  journal: Journal;
  redactor: Redactor;
}

/** Rows that a copy's target has. */
export const rowsIn = ({ tables }: Pick<CopyReport, "tables">): number =>
  tables.reduce((sum, table) => sum + table.rows.target, 0);

export async function completed(copied: CopyReport, { state, journal, redactor }: Said): Promise<RunOutcome> {
  const report = cleanReport(copied, redactor);
  const rows = rowsIn(report);
  const reported = report.inventory.filter((entry) => entry.outcome === "reported").length;
  const archive = await packArchive(report, journal.all());
  return {
    report: { ...state, type: report.type, size: report.size },
    outcome: "completed",
    reason: "Verified",
    message: sentence(report, rows),
    ...(archive === undefined ? {} : { archive }),
    summary: { tables: report.tables.length, rows, reported },
  };
}

/** `message` is a sentence that a user can act on; `reason` names the error. */
export function failed(
  { reason, message, retryable }: { reason: string; message: string; retryable: boolean },
  { state, redactor }: Pick<Said, "state" | "redactor">,
): RunOutcome {
  return {
    report: state,
    outcome: "failed",
    reason: cut(redactor.clean(reason), 128),
    message: cut(redactor.clean(message), 2048),
    retryable,
  };
}

function sentence({ tables, inventory }: CopyReport, rows: number): string {
  const copied = `Copied and verified ${counted(tables.length, "table")} with ${counted(rows, "row")}`;
  const left = notCopiedText(inventory);
  return left === undefined ? `${copied}.` : `${copied}. ${left} (see the report).`;
}
