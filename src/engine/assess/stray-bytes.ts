import { numberText } from "../../guard/text.ts";
import { EngineError } from "../contract/index.ts";
import type { SourceColumn } from "../mysql/catalogue/catalogue.ts";
import type { Session } from "../mysql/driver/session.ts";
import { hasStrayBytes, readStrayBytes, strayBytesMessage } from "../plan/fits/stray-bytes.ts";
import type { ReportFinding } from "./finding.ts";

/** Texts with bytes that stand for no character, in the first rows of the tables whose character sets have such bytes. */

const mostRows = 1000;
/** For all tables together. */
const mostSeconds = 2;

interface Table {
  name: string;
  rows: number;
  /** Those that are copied as text. */
  columns: readonly SourceColumn[];
}

export async function reportStrayBytes(
  session: Session,
  database: string,
  tables: readonly Table[],
  report: ReportFinding,
): Promise<void> {
  const until = performance.now() + mostSeconds * 1000;
  for (const table of tables) {
    const columns = table.columns.filter(({ dataType, characterSet }) => hasStrayBytes(dataType, characterSet));
    if (columns.length === 0) continue;
    if (performance.now() > until) return;
    const asked = { name: [database, table.name], columns, rows: table.rows } as const;
    // A table that cannot be read now is another finding's, or the copy's to say.
    const found = await readStrayBytes([session], [asked], () => undefined, mostRows).catch((error: unknown) => {
      if (error instanceof EngineError) return [];
      throw error;
    });
    for (const { column, characterSet, values } of found)
      report(
        "warning",
        "bytes_without_character",
        `${table.name}.${column}`,
        `${strayBytesMessage(values, characterSet)}, of the first ${numberText(mostRows)} rows: each is copied as a question mark`,
        "bytea in options.types keeps the bytes",
      );
  }
}
