import { identifier, literal } from "../../../mysql/driver/names.ts";
import type { TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { literalOf } from "../columns/defaults.ts";
import { createNames, fileLength } from "../columns/names.ts";

/** A partitioned table of PostgreSQL as one of MySQL, where that has an equal. Pure. */
type Partitioning = { sql: string; notes: string[] } | { reported: string };

interface PartitionColumn {
  /** In the target. */
  name: string;
  /** DDL's type. */
  sql: string;
}

export function planPartitions(
  table: TableDefinition,
  target: { name: string; maria: boolean },
  columnOf: (name: string) => PartitionColumn | undefined,
): Partitioning {
  const { partitioned } = table;
  if (partitioned === null) return { reported: "not partitioned" };
  const { strategy, columns, folding, parts } = partitioned;
  if (columns === null) return { reported: "MySQL's partitions by an expression differ" };
  if (folding)
    return { reported: `MySQL has no partitions by collation ${folding}, which takes for equal what has other bytes` };
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
  const nested = parts.some(({ kind }) => kind === "p") ? ["the partitions' own partitions are not copied"] : [];
  if (parts.length > mostPartitions) return { reported: `MySQL has at most ${mostPartitions} partitions` };
  if (strategy === "h") {
    return { sql: `PARTITION BY KEY (${list}) PARTITIONS ${parts.length}`, notes: [...nested, "by MySQL's own hash"] };
  }
  const made = strategy === "r" ? ranges(table, keys) : lists(table, keys, target.maria);
  if ("reported" in made) return made;
  const names = createNames([], { accents: true });
  const room = fileBytes - fileLength(target.name);
  const definitions = made.parts.map(({ name, values }, at) => {
    const wanted = fileLength(name) > room ? `p${at}` : name;
    return `PARTITION ${identifier(names.take(wanted, name))} ${values}`;
  });
  const by = strategy === "r" ? "RANGE" : "LIST";
  return { sql: `PARTITION BY ${by} COLUMNS (${list}) (${definitions.join(", ")})`, notes: [...nested, ...made.notes] };
}

const mostPartitions = 8192;
/** Of the file that a partition is: its table's name and its own, beside the server's words. */
const fileBytes = 240;
const partitionable =
  /^(?:TINYINT\(1\)|SMALLINT|INT|BIGINT|DATE|DATETIME(?:\(\d\))?|(?:VAR)?CHAR\(\d+\)(?: CHARACTER SET ascii COLLATE ascii_bin)?)$/;
/** Whose order both servers share. */
const ordered = /^(?:SMALLINT|INT|BIGINT|DATE|DATETIME(?:\(\d\))?)$/;

type Parts = { parts: { name: string; values: string }[]; notes: string[] } | { reported: string };

interface Range {
  name: string;
  /** A value a column of the key. */
  from: string[];
  to: string[];
}

function ranges(table: TableDefinition, keys: readonly PartitionColumn[]): Parts {
  if (!keys.every(({ sql }) => ordered.test(sql))) return { reported: "ranges of text follow another order in MySQL" };
  const found: Range[] = [];
  let fallback: string | undefined;
  for (const { name, bound } of table.partitioned?.parts ?? []) {
    if (bound === "DEFAULT") {
      fallback = name;
      continue;
    }
    const values = /^FOR VALUES FROM \(([\s\S]*)\) TO \(([\s\S]*)\)$/.exec(bound);
    const from = boundsOf(values?.[1] ?? "", keys);
    const to = boundsOf(values?.[2] ?? "", keys);
    if (from === undefined || to === undefined) return { reported: `the bound of partition ${name} is not understood` };
    found.push({ name, from, to });
  }
  found.sort((a, b) => compareAll(a.to, b.to));
  const notes: string[] = [];
  const gap = found.some(({ from }, at) => at > 0 && compareAll(from, found[at - 1]?.to ?? []) !== 0);
  if (gap || found[0]?.from[0] !== "MINVALUE")
    notes.push("values that no partition of the source takes go to the next");
  const written = (value: string, at: number) => {
    if (value === "MAXVALUE" || /^-?\d+$/.test(value)) return value;
    return value === "MINVALUE" ? least(keys[at]?.sql ?? "") : literal(value);
  };
  const parts = found.map(({ name, to }) => ({ name, values: `VALUES LESS THAN (${to.map(written).join(", ")})` }));
  if (fallback !== undefined && found.at(-1)?.to[0] !== "MAXVALUE")
    parts.push({ name: fallback, values: `VALUES LESS THAN (${keys.map(() => "MAXVALUE").join(", ")})` });
  return parts.length === 0 || found.length === 0 ? { reported: "it has a default partition only" } : { parts, notes };
}

const leasts: Record<string, string> = { SMALLINT: "-32768", INT: "-2147483648", BIGINT: "-9223372036854775808" };

/** The first value of a type, below which there is none. */
const least = (sql: string): string => leasts[sql] ?? (sql === "DATE" ? "'0001-01-01'" : "'0001-01-01 00:00:00'");

function lists(table: TableDefinition, keys: readonly PartitionColumn[], maria: boolean): Parts {
  const integer = keys.every(({ sql }) => /INT(?:\(1\))?$/.test(sql));
  const parts: { name: string; values: string }[] = [];
  for (const { name, bound } of table.partitioned?.parts ?? []) {
    if (bound === "DEFAULT") {
      if (!maria) return { reported: "MySQL has no default partition" };
      parts.push({ name, values: "DEFAULT" });
      continue;
    }
    const values = splitList(/^FOR VALUES IN \(([\s\S]*)\)$/.exec(bound)?.[1] ?? "").map(literalOf);
    if (values.length === 0 || values.includes(undefined))
      return { reported: `the bound of partition ${name} is not understood` };
    const written = values.map((value) => {
      if (value === null || value === undefined) return "NULL";
      if (!integer) return literal(value.replace(/\+00$/, ""));
      return value === "true" ? "1" : value === "false" ? "0" : value;
    });
    parts.push({ name, values: `VALUES IN (${written.join(", ")})` });
  }
  return { parts, notes: [] };
}

/** One value a column; undefined where one is not understood. */
function boundsOf(text: string, keys: readonly PartitionColumn[]): string[] | undefined {
  const found = splitList(text).map(boundOf);
  const whole = found.filter((one) => one !== undefined);
  return whole.length === keys.length ? whole : undefined;
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

function compareAll(a: readonly string[], b: readonly string[]): number {
  for (const [at, one] of a.entries()) {
    const order = compare(one, b[at] ?? "");
    if (order !== 0) return order;
    // What follows MINVALUE or MAXVALUE does not count.
    if (one === "MINVALUE" || one === "MAXVALUE") return 0;
  }
  return 0;
}

/** Commas outside of quotes. */
const splitList = (text: string): string[] =>
  [...text.matchAll(/(?:'(?:[^']|'')*'|[^,'])+/g)].map(([one]) => one.trim());
