import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { dotFix, means } from "../../../contract/text/full-name.ts";
import { labelsOf, type SourceColumn, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier } from "../../../mysql/driver/names.ts";
import { isMoney, refuseMoneyOfNumbers } from "../../../postgres/catalogue/money.ts";
import { belowDomains, labelsBelow } from "../../../postgres/catalogue/tables.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { serverMessage } from "../../../postgres/driver/errors.ts";
import { kind, type MysqlToCopyField } from "../../../rows/mysql-to-copy/fields.ts";
import { mysqlValueType } from "../../fits/mysql-type.ts";
import { mysqlDoubt } from "../../fits/mysql-values.ts";
import { postgresValueType } from "../../fits/postgres-type.ts";
import { fitOf } from "../../fits/rules.ts";
import type { Fit } from "../../fits/types.ts";
import { columnKey, type NamedType } from "./column-plan.ts";
import { isPostgis, isShape } from "./spatial-types.ts";
import type { TargetType } from "./types.ts";

/** The types of the target that the user names by column (`options.types`), and how a column's bytes come into them. */

/** The wishes by column key (scheme.ts), each with the name it was given by. Errors: `option_unmatched`. Pure. */
function typesByColumn(
  database: string,
  tables: readonly SourceTable[],
  types: CopyOptions["types"],
): Map<string, { name: string; sql: string }> {
  const found = new Map<string, { name: string; sql: string }>();
  for (const [name, sql] of Object.entries(types ?? {})) {
    const columns = tables.flatMap((table) =>
      table.columns
        .filter((column) => means(name, [database, table.name, column.name], 2))
        .map((column) => columnKey(table.name, column.name)),
    );
    if (columns.length === 0)
      throw new EngineError(
        "option_unmatched",
        `options.types names ${JSON.stringify(name)}, and no column of the source is called so: write table.column or database.table.column, ${dotFix}`,
      );
    for (const column of columns) found.set(column, { name, sql });
  }
  return found;
}

/** Those that the target knows, by column key. Errors: `option_unmatched`; `option_invalid` for what the target does not have. */
export async function readOverrides(
  session: Writer,
  database: string,
  tables: readonly SourceTable[],
  types: CopyOptions["types"],
): Promise<Map<string, NamedType>> {
  const found = new Map<string, NamedType>();
  for (const [column, { name, sql }] of typesByColumn(database, tables, types))
    found.set(column, { sql, ...(await baseOf(session, name, sql)) });
  return found;
}

/** By column key. Errors: `schema_differs` for money where the target reads numbers as other amounts. */
export const refuseMoneyTypes = (session: Writer, types: ReadonlyMap<string, NamedType>): Promise<void> =>
  refuseMoneyOfNumbers(
    session,
    [...types].flatMap(([key, { written }]) => (isMoney(written) ? [key.replace("\0", ".")] : [])),
  );

async function baseOf(session: Writer, column: string, sql: string): Promise<Omit<NamedType, "sql">> {
  const refuse = (why: string) =>
    new EngineError(
      "option_invalid",
      `options.types gives ${column} the type ${JSON.stringify(sql)}, which the target does not know (${why}): write a type as PostgreSQL does, with its schema where it is not PostgreSQL's own`,
    );
  // The server's parser of type names takes a comment, which would hide the rest of our statement.
  if (/--|\/\*|[\0;]/.test(sql)) throw refuse("it holds more than a type");
  const [row] = await session
    .query<{ base: string | null; below: string; domain: boolean; labels: string[] | null }>(
      `SELECT n.oid::pg_catalog.regtype::pg_catalog.text AS base, pg_catalog.format_type(base.oid, base.typmod) AS below, base.oid <> n.oid AS domain, ${labelsBelow} AS labels
         FROM (SELECT pg_catalog.to_regtype($1)::pg_catalog.oid AS oid) n LEFT JOIN LATERAL (${belowDomains("n.oid")}) base ON true`,
      [sql],
    )
    .catch((error: unknown) => {
      throw refuse(serverMessage(error));
    });
  if (row === undefined || row.base === null) throw refuse("the type does not exist");
  // A length that the type does not take is found here, not in the middle of the schema.
  await session.query(`SELECT NULL::${sql} AS value`, []).catch((error: unknown) => {
    throw refuse(serverMessage(error));
  });
  // The server's catalogue knows a domain's length; any other stands in the words of the option.
  const size = row.domain ? "" : (/\([\d\s,-]+\)/.exec(sql)?.[0] ?? "");
  const units = row.domain ? "" : (/^\s*interval\s+([a-z]+(?:\s+to\s+[a-z]+)?)/i.exec(sql)?.[1] ?? "");
  const below = units === "" ? row.below : `${row.below} ${units.toLowerCase()}`;
  return { base: plainType(row.base), written: `${below}${size}`, labels: row.labels };
}

/** The session has the server quote all names; its own are known without. */
export const plainType = (type: string): string => type.replace(/^"(\w+)"((?:\[\])?)$/, "$1$2");

const numbers = new Set(["smallint", "integer", "bigint", "numeric", "real", "double precision", "money", "oid"]);
const integers = new Set(["smallint", "integer", "bigint", "oid"]);
const texts = new Set(["text", "character varying", "character", "name", '"char"']);
const times = /^(date|timestamp with(out)? time zone)$/;
const ofNumbers = new Set(["tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "year"]);
const ofBytes = new Set(["binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "vector"]);

/**
 * How a column comes into a type of the target: the server's own text wherever the target can read it. Undefined: there
 * is no way that keeps the value. With a doubt where a value may not fit.
 */
export function intoType(column: SourceColumn, named: NamedType, usual: TargetType): TargetType | undefined {
  const made = ofDocuments(usual, named, conversion(column, named, usual));
  if (made === undefined || isShape(usual.field)) return made;
  const type = isRezoned(column, named) ? { ...made, asUtc: [column.columnType, named.sql] as const } : made;
  const fit = intoPostgres(column, named);
  if (fit === "never") return undefined;
  if (fit === "always") return type;
  return { ...type, doubt: mysqlDoubt(column.name, [column.columnType, named.sql], fit, comparedAs(column)) };
}

function isRezoned({ columnType }: SourceColumn, { written, labels }: NamedType): boolean {
  if (labels) return false;
  const [from, to] = [mysqlValueType(columnType, null, false), postgresValueType(written)];
  if (from.is !== "timestamp" && from.is !== "date") return false;
  return to.is === "timestamp" && to.zone !== (from.is === "timestamp" && from.zone);
}

/** By the table of rules. */
function intoPostgres(column: SourceColumn, { written, labels, parts = [] }: NamedType): Fit {
  if (labels) return intoLabels(column, labels);
  // The server reads a text of several values, and cuts each to its length.
  if ((written.includes("(") && written.endsWith("[]")) || parts.some(({ type }) => type.includes("("))) return "never";
  const elements = parts.find(({ path }) => path === "[]")?.labels ?? undefined;
  if (column.dataType === "set" && elements !== undefined) return intoLabels(column, elements);
  const to = postgresValueType(written);
  const from = mysqlValueType(column.columnType, null, false);
  if (column.dataType === "year") return fitOf({ is: "integer", low: 0n, high: 2155n }, to, "postgres");
  if (from.is === "bits" && to.is !== "bits")
    return fitOf({ is: "integer", low: 0n, high: 2n ** BigInt(from.most ?? 1) - 1n }, to, "postgres");
  // Their text is a reading of UTC's clock on both sides.
  if (to.is === "timestamp") return fitOf(from, { ...to, zone: from.is === "timestamp" && from.zone }, "postgres");
  return fitOf(from, to, "postgres");
}

/** Labels that the target's type lacks are looked for, in a SET as in other texts. */
function intoLabels({ dataType, columnType }: SourceColumn, labels: readonly string[]): Fit {
  if (dataType !== "enum" && dataType !== "set") return [{ check: "label", labels }];
  const missing = labelsOf(columnType).filter((label) => !labels.includes(label));
  if (dataType === "enum") return [{ check: "label", labels }];
  return missing.length === 0 ? "always" : [{ check: "labels", labels, missing }];
}

/** What is compared: a FLOAT with all its digits, a BIT's number. */
function comparedAs({ name, dataType }: SourceColumn): string {
  const column = identifier(name);
  if (dataType === "float") return `(${column} * 1e0)`;
  return dataType === "bit" ? `(${column} + 0)` : column;
}

const ownText = "; each text has to be a JSON document, and others are refused";
const ownOrder = "; jsonb has its own order of an object's keys, and a document with a key twice is refused";

/** A text for json or jsonb has to be a document itself; one for jsonb is looked at for what that would change without a word. */
function ofDocuments(usual: TargetType, { written }: NamedType, type: TargetType | undefined): TargetType | undefined {
  const name = plainType(written);
  if (type?.field.kind !== kind.text || (name !== "jsonb" && name !== "json")) return type;
  // JSON of MySQL is one; that of MariaDB is a text, which its own grammar has let in.
  const isJson = usual.field.kind === kind.json;
  const grammar = isJson ? usual.field.grammar : ("text" as const);
  const note = `${type.note}${isJson ? "" : ownText}${name === "jsonb" ? ownOrder : ""}`;
  if (name === "json" && isJson) return type;
  const field: MysqlToCopyField = { ...type.field, kind: kind.json, ...(grammar === undefined ? {} : { grammar }) };
  return { ...type, field: name === "json" ? { ...field, json: true } : field, note };
}

function conversion(column: SourceColumn, { sql, base }: NamedType, usual: TargetType): TargetType | undefined {
  const name = identifier(column.name);
  const { nullable } = usual.field;
  const as = (how: MysqlToCopyField["kind"], select = name, more: Partial<MysqlToCopyField> = {}): TargetType => ({
    sql,
    field: { kind: how, nullable, ...more },
    select,
    note: "as options.types says",
  });
  const { dataType } = column;
  const isText = texts.has(base);
  const isNumber = numbers.has(base);
  if (base === "bytea") {
    if (isShape(usual.field)) return as(kind.geometry);
    return as(kind.bytea, bytesOf(column));
  }
  if (isShape(usual.field)) return isPostgis(base) ? as(kind.ewkb) : undefined;
  if (dataType === "bit") return intoFromBits(column, base, as, isText || isNumber);
  if (ofBytes.has(dataType) || column.characterSet === "binary") {
    if (base === "uuid") return as(kind.raw, `HEX(${name})`);
    return isText || /^(jsonb?|xml)$/.test(base) ? as(kind.text) : undefined;
  }
  if (usual.field.kind === kind.date) return times.test(base) ? as(kind.date) : isText ? as(kind.text) : undefined;
  if (ofNumbers.has(dataType)) {
    if (base === "boolean") return as(kind.boolean);
    return isNumber || isText ? as(kind.raw, numberText(dataType, base, usual.select)) : undefined;
  }
  if (dataType === "set" && base.endsWith("[]")) return as(kind.set);
  // Text, enums, JSON, times, addresses: the target's type reads the text, or refuses it.
  return as(kind.text);
}

/** Of a text the bytes of the column's own character set, also those that stand for no character. */
function bytesOf({ name, dataType, characterSet }: SourceColumn): string {
  const isText = characterSet !== null && characterSet !== "binary" && /char|text/.test(dataType);
  return isText ? `CAST(${identifier(name)} AS BINARY)` : identifier(name);
}

/** Of a whole number, without the point that its own text may have. */
const numberText = (dataType: string, base: string, select: string) =>
  integers.has(base) && /^(decimal|float|double)$/.test(dataType) ? `CAST(${select} AS DECIMAL(65,0))` : select;

function intoFromBits(
  { name, precision }: SourceColumn,
  base: string,
  as: (how: MysqlToCopyField["kind"], select?: string, more?: Partial<MysqlToCopyField>) => TargetType,
  asNumber: boolean,
): TargetType | undefined {
  const bits = precision ?? 1;
  if (/^bit( varying)?$/.test(base)) return as(kind.bits, undefined, { bits });
  if (base === "boolean" && bits === 1) return as(kind.bit1);
  return asNumber ? as(kind.raw, `${identifier(name)} + 0`) : undefined;
}
