import type { CopyReport, InventoryEntry } from "../../../src/engine/contract/index.ts";
import { begin, quote } from "../kinds/index.ts";
import type { Table } from "../table.ts";
import type { Found, Stop } from "./stop.ts";

/** What a report says of an object, and probes that the comparisons share. */

/** As some reports write a name: without control characters. */
const shown = (name: string): string =>
  name.replace(/\p{Cc}/gu, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** As a report may write a name: also as a quoted identifier of either engine. */
const writings = (name: string): string[] =>
  [name, name.replaceAll('"', '""'), name.replaceAll("`", "``")].flatMap((written) => [shown(written), written]);

/** Whether an entry of a report is of what has this name. */
export const isNamed = (entry: string, name: string): boolean =>
  writings(name).some((written) => entry.includes(written));

/** Whether the last of the names in an entry is this one: a table's name may contain a constraint's. */
export const isNamedLast = (entry: string, name: string): boolean =>
  writings(name).some((written) =>
    // The name may end in a quote itself.
    [entry, entry.replace(/["`]$/, "")].some((text) =>
      [" ", ".", '"', "`"].some((before) => text.endsWith(before + written)),
    ),
  );

export const entriesOf = (report: CopyReport, name: string, kind: RegExp) =>
  report.inventory.filter((entry) => kind.test(entry.kind) && isNamed(entry.name, name));

export const notCopied = ({ outcome }: InventoryEntry): boolean => outcome === "reported";
export const says =
  (words: RegExp) =>
  ({ outcome, note = "" }: InventoryEntry): boolean =>
    outcome !== "copied" && words.test(note);

/** Whether this report, or that of an earlier stop, says so of what has this name. */
export function isLost(
  stop: Stop,
  what: unknown,
  name: string,
  kind: RegExp,
  told: (entry: InventoryEntry) => boolean,
): boolean {
  if (stop.givenUp.has(what)) return true;
  const said = entriesOf(stop.report, name, kind).some(told);
  if (said) stop.givenUp.add(what);
  return said;
}

export const differs = (stop: Stop, table: Table, name: string, what: string): Error =>
  new Error(
    `${what} in table ${JSON.stringify(table.name)}; the inventory says ${JSON.stringify(entriesOf(stop.report, name, /./))}`,
  );

export const literal = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

/** Which errors a server refuses a row with that breaks a check: PostgreSQL, MySQL, MariaDB. */
export const checkViolations: readonly unknown[] = ["23514", 3819, 4025];

/** Whether a new row may have an old one's value: a key may refuse it, or the column is unique by itself. */
const isRepeatable = ({ columns, indexes }: Table, at: number): boolean =>
  columns[at]?.references?.loose === undefined &&
  !indexes.some(({ form, column }) => form === "alone" && column === columns[at]?.name);

/** What a new row has in a column: an old one's value, or another where that may not be. */
export const repeated = (table: Table, at: number, column: string): string => {
  if (isRepeatable(table, at)) return column;
  return table.columns[at]?.required === true ? "'zqx'" : "NULL";
};

/** A copy of a row with another number, in a transaction that ends with its connection. */
export const insertion = (stop: Stop, table: Table, { from, columns }: Found, id: number): string => {
  const copied = table.columns.flatMap(({ generated }, n) => (generated === undefined ? [n] : []));
  const stored = copied.map((n) => quote(columns[n] ?? "", stop.engine));
  const values = copied.map((n, at) => repeated(table, n, stored[at] ?? ""));
  return `${begin(stop.engine)}; START TRANSACTION; INSERT INTO ${from} (${stored.join(", ")}) SELECT ${[id, ...values.slice(1)].join(", ")} FROM ${from} LIMIT 1`;
};
