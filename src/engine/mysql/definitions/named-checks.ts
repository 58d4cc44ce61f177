import { createHash } from "node:crypto";
import { positionOf, type TranslatedTable } from "./dialect.ts";

/** Characters of a table's name up to which MySQL finds names (`_chk_1`) for checks that have none. */
const longestForChecks = 56;

/** A column's check by a name of its own, where MySQL's would be too long: MariaDB's have none. */
export function withNamedChecks(translated: TranslatedTable, table: string): TranslatedTable {
  if ([...table].length <= longestForChecks) return translated;
  const digest = createHash("sha256").update(table).digest("hex").slice(0, 8);
  const items = translated.items.map((one, index) => {
    const at = one.source.kind !== "column" || one.text === undefined ? -1 : positionOf(one.text, " CHECK (");
    if (one.text === undefined || at < 0) return one;
    return { ...one, text: `${one.text.slice(0, at)} CONSTRAINT \`check_${digest}_${index}\`${one.text.slice(at)}` };
  });
  return { ...translated, items };
}
