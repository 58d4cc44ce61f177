import type { SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { LoadColumn } from "../../../mysql/target/loader.ts";
import type { PresentColumn } from "../../../mysql/target/present-columns.ts";
import { kind } from "../../../rows/mysql-to-load/rows.ts";
import { usualCharset } from "../../fits/charsets.ts";
import type { TablePlan } from "./table-plan.ts";

/**
 * Texts come as bytes of the source's character set. Where the column that is there has another, its server converts them, and
 * warns of a character that it lacks, which fails the copy.
 */

/** The character sets that a server knows. */
export const charsetsOf = async (session: Session): Promise<Set<string>> =>
  new Set(
    (await session.query("SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS")).map(
      ([name]) => usualCharset(name ?? "") ?? "",
    ),
  );

/** Sets that do not write digits and Latin letters as ASCII does. */
const wide = new Set(["ucs2", "utf16", "utf16le", "utf32"]);

/** The plan with the conversions that the present columns ask for. */
export function loadedAs(
  plan: TablePlan,
  sources: readonly SourceColumn[],
  present: (column: SourceColumn) => PresentColumn,
  { maria, charsets }: { maria: boolean; charsets: ReadonlySet<string> },
): TablePlan {
  // Of a set that the target does not know: the source converts them.
  const read = new Set<string>();
  const byName = new Map(sources.map((column) => [column.name, column]));
  const columns = plan.columns.map((column): LoadColumn => {
    const source = byName.get(column.name);
    if (source === undefined || column.value !== undefined) return column;
    const from = usualCharset(source.characterSet);
    const { type, charset } = present(source);
    const to = !maria && type === "json" ? "utf8mb4" : usualCharset(charset);
    if (to === null || to === from) return column;
    if (from === null) return wide.has(to) ? converted(column.name, "latin1") : column;
    if (charsets.has(from)) return converted(column.name, from);
    read.add(column.name);
    return converted(column.name, "utf8mb4");
  });
  const kinds = plan.kinds.map((how, at) => {
    const source = byName.get(plan.columns[at]?.name ?? "");
    const isText = source !== undefined && present(source).charset !== null;
    // A text keeps the sign, and every digit.
    if (how === kind.signed && isText) return kind.plain;
    return how === kind.document && isText ? kind.text : how;
  });
  return { ...plan, columns, kinds, ...(read.size === 0 ? {} : { select: plan.selected(read) }) };
}

const converted = (name: string, charset: string): LoadColumn => ({
  name,
  value: (field) => `CONVERT(${field} USING ${charset})`,
});
