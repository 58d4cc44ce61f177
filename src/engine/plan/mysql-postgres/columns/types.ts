import { EngineError } from "../../../contract/index.ts";
import { labelsOf, type SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import { identifier } from "../../../mysql/driver/names.ts";
import { literal } from "../../../postgres/driver/names.ts";
import { kind, type MysqlToCopyField } from "../../../rows/mysql-to-copy/fields.ts";
import type { Doubt } from "../../fits/values.ts";
import { geometryType } from "./spatial-types.ts";

/**
 * MySQL's types → PostgreSQL's, from the catalogue alone. Where the type holds more than its usual data the usual
 * one is guessed; a value that does not fit breaks the guess, and the table is copied again with the wide type.
 */

/** What earlier attempts at this table have taught about a column. */
export interface ObservedType {
  /** The guessed type was too narrow so often. */
  wide: number;
  /** A NOT NULL column holds dates that only NULL can stand for. */
  nullable: boolean;
  /** Why the target's own values of a generated column are not the source's (verify-expressions.ts). */
  plain?: string;
}

interface ColumnContext {
  /** In a foreign key, or referenced by one: both sides must have the same type. */
  inForeignKey: boolean;
  /** MariaDB's JSON, which is a longtext with a check. */
  isJson: boolean;
  /** The target's schema with PostGIS. */
  postgis?: string | undefined;
  observed: ObservedType;
}

export interface TargetType {
  /** As in DDL; an enum's is made by the caller from `labels`. */
  sql: string;
  field: MysqlToCopyField;
  /** What to select from the source, already quoted. */
  select: string;
  /** An enum type with these labels is needed. */
  labels?: string[];
  /** An SQL condition on the quoted column name. */
  check?: (column: string) => string;
  /** Values may not fit into it. */
  doubt?: Doubt;
  /** Only one side has a time zone: the two types. */
  asUtc?: Doubt["types"];
  /** Why it is not the plain equivalent, for the report. */
  note?: string;
}

const labelBytes = 63;

export function targetType(
  column: SourceColumn,
  { inForeignKey, isJson, postgis, observed }: ColumnContext,
): TargetType {
  const { dataType, columnType, fraction } = column;
  const nullable = column.nullable || observed.nullable;
  const name = identifier(column.name);
  const unsigned = /\bunsigned\b/i.test(columnType);
  const as = (sql: string, how: MysqlToCopyField["kind"], more: Partial<TargetType> = {}): TargetType => ({
    sql,
    field: { kind: how, nullable },
    select: name,
    ...more,
  });

  switch (dataType) {
    case "tinyint":
      if (
        /^tinyint\(1\)/i.test(columnType) &&
        !unsigned &&
        !inForeignKey &&
        observed.wide === 0 &&
        !isIncrement(column)
      )
        return as("boolean", kind.boolean);
      return as("smallint", kind.raw);
    case "smallint":
      return as(unsigned ? "integer" : "smallint", kind.raw);
    case "mediumint":
      return as("integer", kind.raw);
    case "int":
      return as(unsigned ? "bigint" : "integer", kind.raw);
    case "bigint":
      if (!unsigned) return as("bigint", kind.raw);
      return observed.wide === 0
        ? as("bigint", kind.unsigned)
        : as("numeric(20,0)", kind.raw, { note: "holds numbers above bigint's" });
    case "decimal":
      return as(`numeric(${column.precision ?? 10},${column.scale ?? 0})`, kind.raw);
    case "float":
      // A float's own text is rounded to six digits; the product is a double, whose text is exact. A sum would lose −0.
      return as("real", kind.raw, { select: `${name} * 1e0` });
    case "double":
      return as("double precision", kind.raw, { select: `${name} * 1e0` });
    case "bit": {
      const bits = column.precision ?? 1;
      if (bits === 1) return as("boolean", kind.bit1);
      return { ...as(`bit(${bits})`, kind.bits), field: { kind: kind.bits, nullable, bits } };
    }
    case "year":
      return as("smallint", kind.raw);
    case "char":
    case "varchar":
      if (column.characterSet === null || column.characterSet === "binary") return as("bytea", kind.bytea);
      return as(`varchar(${Math.max(1, column.characters ?? 1)})`, kind.text);
    case "tinytext":
    case "text":
    case "mediumtext":
      return as("text", kind.text);
    case "longtext":
      return isJson ? jsonOfMaria(as, observed, nullable) : as("text", kind.text);
    case "json":
      return json(as, observed);
    case "binary":
    case "varbinary":
    case "tinyblob":
    case "blob":
    case "mediumblob":
    case "longblob":
      return as("bytea", kind.bytea);
    case "date":
      return as("date", kind.date);
    case "datetime":
      return as(`timestamp(${fraction})`, kind.date);
    case "timestamp":
      return as(`timestamptz(${fraction})`, kind.date);
    case "time":
      return time(column, as, inForeignKey || observed.wide > 0);
    case "enum":
      return enumeration(column, as, inForeignKey, observed, nullable);
    case "set":
      return set(column, as);
    case "uuid":
      return as("uuid", kind.raw);
    case "inet4":
    case "inet6":
      return as("inet", kind.raw);
    case "geometry":
    case "point":
    case "linestring":
    case "polygon":
    case "multipoint":
    case "multilinestring":
    case "multipolygon":
    case "geomcollection":
    case "geometrycollection":
      return { ...geometryType(column, postgis, { nullable, refused: observed.wide > 0 }), select: name };
    case "vector":
      return as("bytea", kind.bytea, { note: "vector as the source's own bytes" });
    default:
      return as("bytea", kind.bytea, {
        note: `the type ${dataType} is not known: its bytes as they are`,
        select: `CAST(${name} AS BINARY)`,
      });
  }
}

type As = (sql: string, how: MysqlToCopyField["kind"], more?: Partial<TargetType>) => TargetType;

function json(as: As, observed: ObservedType): TargetType {
  if (observed.wide === 0) return as("jsonb", kind.json);
  return as("json", kind.text, { note: "json, since jsonb would refuse or change a value" });
}

/** MariaDB takes for JSON what PostgreSQL does not, so that both of its types may turn out to be too narrow. */
function jsonOfMaria(as: As, observed: ObservedType, nullable: boolean): TargetType {
  if (observed.wide > 1)
    return as("text", kind.text, { note: "text, since PostgreSQL does not take a value for JSON" });
  const field: MysqlToCopyField = { kind: kind.json, nullable, grammar: true };
  if (observed.wide === 0) return { ...as("jsonb", kind.json), field };
  return { ...json(as, observed), field: { ...field, json: true } };
}

function enumeration(
  column: SourceColumn,
  as: As,
  inForeignKey: boolean,
  observed: ObservedType,
  nullable: boolean,
): TargetType {
  const labels = labelsOf(column.columnType);
  if (labels.some(inDoubt)) {
    const open: MysqlToCopyField = { kind: kind.enumeration, nullable, emptyLabel: true };
    return { ...as("text", kind.enumeration, { note: `text without a check, ${doubt}` }), field: open };
  }
  // Index 0: what the server stores in place of a value outside of the list.
  if (observed.wide > 0 && !labels.includes("")) labels.unshift("");
  const field: MysqlToCopyField = { kind: kind.enumeration, nullable, emptyLabel: labels.includes("") };
  const long = labels.some((label) => Buffer.byteLength(label) > labelBytes);
  const doubled = new Set(labels).size < labels.length;
  if (!inForeignKey && !long && !doubled) return { ...as("", kind.enumeration, { labels }), field };
  const all = labels.map((label) => literal(label)).join(", ");
  const note = long
    ? "text with a check, since a label is longer than 63 bytes"
    : doubled
      ? "text with a check, since two labels are equal"
      : "text with a check, since it is in a key or an expression that fixes its type";
  return { ...as("text", kind.enumeration, { note, check: (quoted) => `${quoted} IN (${all})` }), field };
}

/** The catalogue shows `?` for a character of four bytes, and nothing but a row tells which one it is. */
const inDoubt = (label: string): boolean => label.includes("?");
const doubt = "since the source's catalogue shows ? in a label, which may stand for another character";

/** Errors: `data_refused` for a label that no text of PostgreSQL can hold. */
export function refuseLabels(table: string, columns: readonly SourceColumn[]): void {
  for (const { name, dataType, columnType } of columns) {
    if (!/^(enum|set)$/.test(dataType) || !labelsOf(columnType).some((label) => label.includes("\0"))) continue;
    throw new EngineError(
      "data_refused",
      `column ${table}.${name}: a label of its ${dataType} holds a NUL character, which PostgreSQL cannot hold in text; rename the label in the source and retry`,
    );
  }
}

const time = ({ default: value, fraction }: SourceColumn, as: As, wide: boolean): TargetType =>
  wide || outsideOfDay(value)
    ? as(`interval(${fraction})`, kind.raw, { note: "holds times outside of a day" })
    : as(`time(${fraction})`, kind.time);

/** Of a default as either server writes it. PostgreSQL's time ends at 24:00:00. */
const outsideOfDay = (value: string | null): boolean => {
  const [, sign, hours] = /^'?(-?)(\d+):\d+/.exec(value ?? "") ?? [];
  return sign === "-" || Number(hours ?? 0) >= 24;
};

function set(column: SourceColumn, as: As): TargetType {
  const labels = labelsOf(column.columnType);
  if (labels.some(inDoubt)) return as("text[]", kind.set, { note: `without a check, ${doubt}` });
  const all = labels.map((label) => literal(label)).join(", ");
  // The source's own text of the member '' is that of no member.
  if (labels.includes("") || new Set(labels).size < labels.length)
    return as("text", kind.text, {
      note: "text with a check, since a label is empty or two are equal",
      check: (quoted) => `string_to_array(${quoted}, ',') <@ ARRAY[${all}]::text[]`,
    });
  return as("text[]", kind.set, { check: (quoted) => `${quoted} <@ ARRAY[${all}]::text[]` });
}

export const isIncrement = (column: SourceColumn): boolean => column.extra.includes("auto_increment");
