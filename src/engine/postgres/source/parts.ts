import type { DataColumn, DataTable } from "../catalogue/tables.ts";
import { literal, qualified } from "../driver/names.ts";

/** Which statements copy a table: whole, or in ranges of pages so that several streams share it. Pure. */

export interface TablePart {
  table: DataTable;
  /** Unique in the run: `schema.table` or `schema.table 2/4`. */
  name: string;
  /** COPY … TO STDOUT on the source. */
  out: string;
  /** COPY … FROM STDIN on the target. */
  into: string;
  /** Share of the table, for the order of work. */
  bytes: number;
}

export interface PartOptions {
  jobs: number;
  /** server_version_num of the source: from 14 on a range of pages is read without reading the others. */
  version: number;
  encodings: { source: string; target: string };
}

/** Under this, sharing a table costs more than it gains. */
const leastBytes = 32 * 1024 * 1024;
/** Over this, a stream's last part makes the others wait. */
const mostBytes = 256 * 1024 * 1024;

export function planParts(table: DataTable, options: PartOptions): TablePart[] {
  if (table.leaves === undefined) return partsInto(table, table, options);
  return table.leaves.flatMap((leaf) => partsInto(table, { ...leaf, columns: table.columns }, options));
}

/** `table` is read, and is `whole` or one of its partitions. */
function partsInto(whole: DataTable, table: DataTable, options: PartOptions): TablePart[] {
  const count = partCount(table, options);
  const name = `${table.schema}.${table.name}`;
  const binary = copiesBinary(table, options);
  const format = (encoding: string) =>
    binary ? " (FORMAT binary)" : ` (FORMAT text, ENCODING ${literal(encoding).trim()})`;
  const { encodings } = options;
  // Bytes that are declared SQL_ASCII are let into a UTF8 database unchecked: they are read as what they have to be there.
  const written = encodings.source === "SQL_ASCII" ? encodings.target : between(encodings);
  const source = qualified(table.schema, table.name);
  const list = table.columns.map((column) => qualified(column.name)).join(", ");
  const values = table.columns.map(({ name, read }) => read ?? qualified(name)).join(", ");
  // A table without columns to copy takes no list; its rows are empty lines.
  const named = table.columns.length === 0 ? "" : ` (${list})`;
  const into = `COPY ${qualified(whole.schema, whole.name)}${named} FROM STDIN${format(written)}`;
  return Array.from({ length: count }, (_, index) => {
    const ranges: string[] = [];
    const page = (at: number) => Math.floor((table.pages * at) / count);
    if (index > 0) ranges.push(`ctid >= '(${page(index)},0)'::pg_catalog.tid`);
    // The last part is open at its end: the table may have grown since it was measured.
    if (index < count - 1) ranges.push(`ctid < '(${page(index + 1)},0)'::pg_catalog.tid`);
    const where = ranges.map((range) => ` AND ${range}`).join("");
    const condition = table.extension?.condition ?? "";
    // COPY of a table by name reads that table alone, never its children; a query has to say so.
    const what =
      where === "" && condition === "" && values === list
        ? `${source}${named}`
        : `(SELECT ${values} FROM ONLY ${source} ${condition === "" ? "WHERE true" : condition}${where})`;
    return {
      table: whole,
      name: count === 1 ? name : `${name} ${index + 1}/${count}`,
      out: `COPY ${what} TO STDOUT${format(encodings.source === "SQL_ASCII" ? encodings.source : between(encodings))}`,
      into,
      bytes: table.bytes / count,
    };
  });
}

/** Servers convert every encoding to UTF8 and back, but few into each other. */
const between = ({ source, target }: PartOptions["encodings"]): string =>
  source === target || ["UTF8", "SQL_ASCII"].includes(target) ? source : "UTF8";

function partCount(table: DataTable, { jobs, version }: PartOptions): number {
  if (jobs === 1 || version < 140_000 || !table.heap || table.extension !== undefined || table.columns.length === 0)
    return 1;
  if (table.bytes < 2 * leastBytes || table.pages < jobs) return 1;
  const even = Math.ceil(table.bytes / mostBytes);
  return Math.min(Math.max(even, jobs), Math.floor(table.bytes / leastBytes), table.pages);
}

/**
 * Types whose binary form means the same on every server since 10: it names no oid of the server's own (as arrays of
 * users' types, composites and reg… types do) and depends on no setting.
 */
const portable = new Set(
  [
    "bool bytea char name int8 int2 int4 text oid json jsonb xml point lseg path box polygon line circle cidr inet macaddr",
    "macaddr8 float4 float8 money bpchar varchar date time timestamp timestamptz interval timetz bit varbit numeric uuid",
    "tsvector tsquery int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange nummultirange",
    "tsmultirange tstzmultirange datemultirange",
  ]
    .join(" ")
    .split(" "),
);

export function copiesBinary(
  table: Pick<DataTable, "columns" | "extension">,
  { encodings }: Pick<PartOptions, "encodings">,
): boolean {
  // Binary text is in the session's encoding, UTF8; only without a conversion is it the same bytes on both sides.
  if (encodings.source !== "UTF8" || encodings.target !== "UTF8" || table.columns.length === 0) return false;
  return table.columns.every(isPortable);
}

function isPortable({ binary }: DataColumn): boolean {
  if (binary === undefined) return false;
  return binary === "enum" || portable.has(binary) || (binary.startsWith("_") && portable.has(binary.slice(1)));
}
