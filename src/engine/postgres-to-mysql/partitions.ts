import { identifier, literal } from "../mysql/names.ts";
import type { SourceTable } from "./catalogue.ts";
import { literalOf } from "./defaults.ts";
import { createNames } from "./names.ts";

/** A partitioned table of PostgreSQL as one of MySQL, where that has an equal. Pure. */
export type Partitioning = { sql: string; notes: string[] } | { reported: string };

export interface PartitionColumn {
  /** In the target. */
  name: string;
  /** DDL's type. */
  sql: string;
}

export function planPartitions(
  table: SourceTable,
  columnOf: (name: string) => PartitionColumn | undefined,
): Partitioning {
  const { partitioned } = table;
  if (partitioned === null) return { reported: "not partitioned" };
  const { strategy, columns, parts } = partitioned;
  if (columns === null) return { reported: "MySQL's partitions by an expression differ" };
  const keys = columns.map(columnOf).filter((column) => column !== undefined);
  if (keys.length !== columns.length) return { reported: "a column of the key is not there" };
  const unfit = keys.find(({ sql }) => !partitionable.test(sql));
  if (unfit !== undefined) return { reported: `MySQL has no partitions by ${unfit.sql}` };
  if (parts.length === 0) return { reported: "it has no partitions yet" };
  if (
    table.indexes.some(
      ({ unique, keys: of }) => unique && !columns.every((name) => of.some(({ column }) => column === name)),
    )
  )
    return { reported: "a unique index lacks a column of the key" };
  const list = keys.map(({ name }) => identifier(name)).join(", ");
  const nested = parts.some(({ kind }) => kind === "p") ? ["the partitions' own partitions are not carried over"] : [];
  const names = createNames();
  if (strategy === "h") {
    return { sql: `PARTITION BY KEY (${list}) PARTITIONS ${parts.length}`, notes: [...nested, "by MySQL's own hash"] };
  }
  const made = strategy === "r" ? ranges(table, keys) : lists(table, keys);
  if ("reported" in made) return made;
  const definitions = made.parts.map(
    ({ name, values }) => `PARTITION ${identifier(names.take(name, name))} VALUES ${values}`,
  );
  const by = strategy === "r" ? "RANGE" : "LIST";
  return { sql: `PARTITION BY ${by} COLUMNS (${list}) (${definitions.join(", ")})`, notes: [...nested, ...made.notes] };
}

const partitionable =
  /^(?:SMALLINT|INT|BIGINT|DATE|DATETIME(?:\(\d\))?|(?:VAR)?CHAR\(\d+\)(?: CHARACTER SET ascii COLLATE ascii_bin)?)$/;
/** Whose order both servers share. */
const ordered = /^(?:SMALLINT|INT|BIGINT|DATE|DATETIME(?:\(\d\))?)$/;

type Parts = { parts: { name: string; values: string }[]; notes: string[] } | { reported: string };

function ranges(table: SourceTable, keys: readonly PartitionColumn[]): Parts {
  if (!keys.every(({ sql }) => ordered.test(sql))) return { reported: "ranges of text follow another order in MySQL" };
  if (keys.length > 1) return { reported: "ranges over several columns are not carried over" };
  const found: { name: string; from: string; to: string }[] = [];
  let fallback: string | undefined;
  for (const { name, bound } of table.partitioned?.parts ?? []) {
    if (bound === "DEFAULT") {
      fallback = name;
      continue;
    }
    const values = /^FOR VALUES FROM \(([\s\S]*)\) TO \(([\s\S]*)\)$/.exec(bound);
    const from = boundOf(values?.[1] ?? "");
    const to = boundOf(values?.[2] ?? "");
    if (from === undefined || to === undefined) return { reported: `the bound of partition ${name} is not understood` };
    found.push({ name, from, to });
  }
  found.sort((a, b) => compare(a.to, b.to));
  const notes: string[] = [];
  if (found.some(({ from }, at) => at > 0 && from !== found[at - 1]?.to) || found[0]?.from !== "MINVALUE")
    notes.push("values that no partition of the source takes go to the next");
  const parts = found.map(({ name, to }) => ({
    name,
    values: `LESS THAN (${to === "MAXVALUE" ? to : /^-?\d+$/.test(to) ? to : literal(to)})`,
  }));
  if (fallback !== undefined && found.at(-1)?.to !== "MAXVALUE")
    parts.push({ name: fallback, values: "LESS THAN (MAXVALUE)" });
  return parts.length === 0 ? { reported: "it has a default partition only" } : { parts, notes };
}

function lists(table: SourceTable, keys: readonly PartitionColumn[]): Parts {
  const integer = keys.every(({ sql }) => /INT$/.test(sql));
  const parts: { name: string; values: string }[] = [];
  for (const { name, bound } of table.partitioned?.parts ?? []) {
    if (bound === "DEFAULT") return { reported: "MySQL has no default partition" };
    const values = splitList(/^FOR VALUES IN \(([\s\S]*)\)$/.exec(bound)?.[1] ?? "").map(literalOf);
    if (values.length === 0 || values.includes(undefined))
      return { reported: `the bound of partition ${name} is not understood` };
    const written = values.map((value) =>
      value === null || value === undefined ? "NULL" : integer ? value : literal(value.replace(/\+00$/, "")),
    );
    parts.push({ name, values: `IN (${written.join(", ")})` });
  }
  return { parts, notes: [] };
}

function boundOf(text: string): string | undefined {
  if (text === "MINVALUE" || text === "MAXVALUE") return text;
  const value = literalOf(text)?.replace(/\+00$/, "");
  return value === undefined || /infinity|BC/.test(value) ? undefined : value;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "MAXVALUE" || b === "MINVALUE") return 1;
  if (b === "MAXVALUE" || a === "MINVALUE") return -1;
  if (/^-?\d+$/.test(a) && /^-?\d+$/.test(b)) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

/** Commas outside of quotes. */
const splitList = (text: string): string[] =>
  [...text.matchAll(/(?:'(?:[^']|'')*'|[^,'])+/g)].map(([one]) => one.trim());
