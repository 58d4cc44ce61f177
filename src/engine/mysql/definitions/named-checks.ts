import { createHash } from "node:crypto";
import type { SourceTable } from "../catalogue/tables.ts";
import { identifier } from "../driver/names.ts";
import { positionOf } from "./definition.ts";
import type { TranslatedTable } from "./dialect.ts";

/** Characters of a table's name up to which there is room for the name of a check after it. */
const longestForChecks = 56;

/** In lower case. */
export interface CheckNames {
  taken: ReadonlySet<string>;
  /** Of more than one table. */
  repeated: ReadonlySet<string>;
  /** Names of tables that differ in the case of letters alone. */
  alike: ReadonlySet<string>;
}

/** What MariaDB, where each table has names of its own, calls the checks of a database. */
export function checkNamesOf(tables: readonly Pick<SourceTable, "name" | "columns" | "checks">[]): CheckNames {
  // A column's own check is called as the column.
  const names = tables.flatMap(({ columns, checks }) => {
    const own = new Set(columns.map(({ name }) => name));
    return checks.filter(({ name }) => !own.has(name)).map(({ name }) => name.toLowerCase());
  });
  return { taken: new Set(names), repeated: twice(names), alike: twice(tables.map(({ name }) => name.toLowerCase())) };
}

const twice = (all: readonly string[]): Set<string> => {
  const seen = new Set<string>();
  return new Set(all.filter((one) => seen.size === seen.add(one).size));
};

const none: CheckNames = { taken: new Set(), repeated: new Set(), alike: new Set() };
const head = /^(?:CONSTRAINT `(?:[^`]|``)*` )?CHECK/;

/**
 * MariaDB's checks as MySQL takes them, where a name is one for all tables of a database: those of columns, those that MariaDB
 * named, and those of a name that another table has, get the name that MySQL would give, or another one that is free.
 */
export function withNamedChecks(
  translated: TranslatedTable,
  table: string,
  { taken, repeated, alike }: CheckNames = none,
): TranslatedTable {
  const usual = [...table].length <= longestForChecks && !alike.has(table.toLowerCase());
  const digest = createHash("sha256").update(table).digest("hex").slice(0, 8);
  const stem = usual ? `${table}_chk_` : `check_${digest}_`;
  let count = 0;
  const free = (): string => {
    const name = `${stem}${++count}`;
    return taken.has(name.toLowerCase()) ? free() : name;
  };
  const notes = [...translated.notes];
  const items = translated.items.map((one) => {
    const { source, text } = one;
    if (text === undefined) return one;
    if (source.kind === "column") {
      const at = positionOf(text, " CHECK (");
      return at < 0 ? one : { ...one, text: `${text.slice(0, at)} CONSTRAINT ${identifier(free())}${text.slice(at)}` };
    }
    if (source.kind !== "check") return one;
    if (!/^(?:CONSTRAINT_\d+)?$/i.test(source.name) && !repeated.has(source.name.toLowerCase())) return one;
    const name = free();
    const note = `it is called ${name}: in MySQL a check's name is one for all tables of a database`;
    notes.push({ item: source, outcome: "converted", note });
    return { ...one, text: text.replace(head, () => `CONSTRAINT ${identifier(name)} CHECK`) };
  });
  return { ...translated, items, notes };
}
