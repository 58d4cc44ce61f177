import type { CopyReport } from "../contract/index.ts";
import { reportedOf } from "../contract/known.ts";
import { printable } from "../contract/text/printable.ts";

/**
 * The report of any direction as a person may read it: control characters of names and values are escapes in its names, notes
 * and warnings. Definitions are SQL, and names of tables are data: both stay as they are. Pure.
 */
export const readableReport = <Report extends Pick<CopyReport, "inventory" | "warnings">>(report: Report): Report => ({
  ...report,
  warnings: report.warnings.map(printable),
  inventory: report.inventory.map(({ name, note, ...entry }) => ({
    ...reportedOf({ name, ...entry }),
    name: printable(name),
    ...(note === undefined ? {} : { note: printable(note) }),
  })),
});
