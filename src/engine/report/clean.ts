import type { Redactor } from "../../guard/redact.ts";
import type { CopyReport } from "../contract/index.ts";

/** The report with the sentences in it cleaned; names are data and stay as they are. */
export function cleanReport<Report extends Pick<CopyReport, "warnings" | "inventory">>(
  report: Report,
  redactor: Pick<Redactor, "clean">,
): Report {
  return {
    ...report,
    warnings: report.warnings.map((warning) => redactor.clean(warning)),
    inventory: report.inventory.map((entry) =>
      // Most have no sentence, and there may be very many.
      entry.note === undefined && entry.definition === undefined
        ? entry
        : {
            ...entry,
            ...(entry.note === undefined ? {} : { note: redactor.clean(entry.note) }),
            ...(entry.definition === undefined ? {} : { definition: redactor.clean(entry.definition) }),
          },
    ),
  };
}
