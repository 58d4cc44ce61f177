import { identifier, literal, qualified } from "../../mysql/driver/names.ts";
import { literal as postgresLiteral, qualified as postgresQualified } from "../../postgres/driver/names.ts";
import { isBinary, mysqlIntegers, mysqlTexts } from "./expressions.ts";
import type { TableName } from "./rows.ts";
import type { Reader } from "./side.ts";
import type { ColumnType, MysqlType } from "./types.ts";

/**
 * Conditions that together are a whole table, for one server alone: its pages, or ranges of its own key in its own order.
 * The other side has others, so that only the sums of all of them are compared.
 */
interface Splitting {
  name: TableName;
  partitioned: boolean;
  /** SELECT, as the dialect has it for the table. */
  select: string;
  /** The first column of the side's own key. */
  lead: { name: string; type: ColumnType } | undefined;
}

/** At least one, with which `""` is the whole. */
export async function splitSide(
  engine: "mysql" | "postgres",
  reader: Reader,
  splitting: Splitting,
  parts: number,
  rows: number,
): Promise<string[]> {
  if (engine === "postgres") return splitPages(reader, splitting, parts);
  const { lead, name } = splitting;
  if (lead === undefined || lead.type.engine !== "mysql") return [""];
  const written = writtenBy(identifier(lead.name), lead.type);
  if (written === undefined) return [""];
  return splitKey(
    reader,
    { name, select: splitting.select },
    identifier(lead.name),
    written,
    Math.max(1, Math.ceil(rows / parts)),
  );
}

const oldest = 140_000;

/** Since version 14 a range of pages is read without reading the others. */
async function splitPages(reader: Reader, { name, partitioned }: Splitting, parts: number): Promise<string[]> {
  if (partitioned) return [""];
  const [[pages, version] = []] = await reader.query(
    `SELECT pg_catalog.pg_relation_size(${postgresLiteral(postgresQualified(...name))}::pg_catalog.regclass) / pg_catalog.current_setting('block_size')::int8 AS pages,
            pg_catalog.current_setting('server_version_num') AS version`,
  );
  const all = Number(pages ?? 0);
  if (Number(version ?? 0) < oldest || all < parts) return [""];
  const page = (at: number) => `'(${Math.floor((all * at) / parts)},0)'::pg_catalog.tid`;
  // The last part is open at its end: the table may have grown.
  return Array.from({ length: parts }, (_, at) =>
    [at > 0 ? `ctid >= ${page(at)}` : "", at < parts - 1 ? `ctid < ${page(at + 1)}` : ""]
      .filter((one) => one !== "")
      .join(" AND "),
  );
}

interface Written {
  /** What is selected of the column, … */
  select: string;
  /** … and the literal that stands where it did. */
  literal(selected: string): string;
}

/** Undefined: a type whose order is not that of its literals. */
function writtenBy(column: string, type: MysqlType): Written | undefined {
  if (isBinary(type)) return { select: `HEX(${column})`, literal: (hex) => `x'${hex}'` };
  if (type.name === "enum" || type.name === "set") return undefined;
  if (mysqlTexts.has(type.name))
    return { select: `HEX(${column})`, literal: (hex) => `_${type.characterSet ?? "utf8mb4"} x'${hex}'` };
  if (mysqlIntegers.has(type.name) && type.name !== "year")
    return { select: `${column} + 0`, literal: (digits) => digits };
  if (["decimal", "date", "datetime", "timestamp", "uuid", "inet4", "inet6"].includes(type.name))
    return { select: `CAST(${column} AS CHAR)`, literal };
  return undefined;
}

/** Every `step`th value of the key, each found from the one before it: the index is read once. */
async function splitKey(
  reader: Reader,
  { name: [schema, table], select: read }: Pick<Splitting, "name" | "select">,
  column: string,
  { select, literal: write }: Written,
  step: number,
): Promise<string[]> {
  const bounds: string[] = [];
  for (;;) {
    const last = bounds.at(-1);
    const above = last === undefined ? "" : ` WHERE ${column} > ${last}`;
    const [[found] = []] = await reader.query(
      `${read} ${select} FROM ${qualified(schema, table)}${above} ORDER BY ${column} LIMIT 1 OFFSET ${step}`,
    );
    if (found === undefined || found === null) break;
    bounds.push(write(found));
  }
  return [...bounds, undefined].map((bound, at) =>
    [at > 0 ? `${column} > ${bounds[at - 1]}` : "", bound === undefined ? "" : `${column} <= ${bound}`]
      .filter((one) => one !== "")
      .join(" AND "),
  );
}
