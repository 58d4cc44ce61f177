import { sql } from "../../chaos/contents.ts";
import { begin, quote } from "../kinds/index.ts";
import type { Table } from "../table.ts";
import { isNamed } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/** What a column's values mean beside their text: which are equal, and what a report must say where a server lacks it. */

const lines = ({ report: { inventory, warnings } }: Stop): string[] => [
  ...warnings,
  ...inventory.flatMap(({ name, outcome, note }) => (outcome === "copied" ? [] : [`${name}: ${note}`])),
];

const otherCase = (text: string): string => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

export async function compareMeaning(stop: Stop, table: Table, { from, columns }: Found): Promise<void> {
  for (const [n, { name, kind }] of table.columns.entries()) {
    const values = table.rows.flatMap((row) => row[n]?.expect.postgres ?? []);
    const said = (words: RegExp) => lines(stop).some((line) => words.test(line) && isNamed(line, name));
    const differ = (what: string) => {
      const entries = stop.report.inventory.filter((entry) => isNamed(entry.name, name));
      return new Error(
        `${what} in column ${JSON.stringify(name)} of ${JSON.stringify(table.name)}, of which the report says nothing: ${JSON.stringify(entries)} ${JSON.stringify(stop.report.warnings)}`,
      );
    };
    const [value] = values;
    if (value === undefined) continue;
    if (kind.said !== undefined && stop.origin !== stop.engine && !said(kind.said))
      throw differ("values that the target cannot hold are changed");
    // Not for a letter such as ß, whose other case is two letters.
    if (kind.folds === true && !stop.givenUp.has(kind) && otherCase(value).length === value.length) {
      const [row] = await sql(
        stop.place,
        `${begin(stop.engine)}; SELECT COUNT(*) FROM ${from} WHERE ${quote(columns[n] ?? "", stop.engine)} = '${otherCase(value)}'`,
      );
      if (row?.[0] !== "0") continue;
      if (!said(/collation/)) throw differ("a letter no longer equals its other case");
      stop.givenUp.add(kind);
    }
  }
}
