import { named } from "../../contract/text/own-property.ts";
import { labelsOf } from "../../mysql/catalogue/catalogue.ts";

/** What a value means, in either engine: the types that the rules tell apart. What none of them knows is `other`. */

export type Type =
  /**
   * Whole numbers; the range is what the expression can yield, `unsigned` is MySQL's attribute. `bits`: of PostgreSQL's
   * type, where the range alone would do with fewer. `bit`: MySQL's BIT(1), whose text is its byte and no digit.
   */
  | { kind: "int"; min: bigint; max: bigint; unsigned: boolean; bits?: bigint; bit?: true }
  /** PostgreSQL's numeric without a scale has none here. */
  | { kind: "decimal"; precision: number; scale: number | undefined }
  | { kind: "float"; bits: 32 | 64 }
  /** `collation` as the source calls it; undefined: a literal's, which takes the other side's. `ascii`: no other characters. */
  | { kind: "text"; collation: string | undefined; ascii: boolean; fixed?: boolean }
  | { kind: "enum"; labels: string[]; collation: string | undefined; name?: string }
  | { kind: "bytes" }
  | { kind: "boolean" }
  | { kind: "date" }
  | { kind: "datetime"; digits: number; zoned: boolean }
  | { kind: "time"; digits: number }
  | { kind: "year" }
  | { kind: "json" }
  | { kind: "uuid" }
  | { kind: "null" }
  | { kind: "other"; name: string };

export const int = (min: bigint, max: bigint, unsigned = false): Type => ({ kind: "int", min, max, unsigned });
export const bit: Type = { kind: "int", min: 0n, max: 1n, unsigned: false, bit: true };
export const isBit = (type: Type): boolean => type.kind === "int" && type.bit === true;
export const least64 = -(2n ** 63n);
export const most64 = 2n ** 63n - 1n;
export const text = (collation: string | undefined, ascii = false): Type => ({ kind: "text", collation, ascii });

const integers: Record<string, bigint> = {
  tinyint: 8n,
  smallint: 16n,
  mediumint: 24n,
  int: 32n,
  integer: 32n,
  bigint: 64n,
};

const integer = (bits: bigint, unsigned: boolean): Type =>
  unsigned ? int(0n, 2n ** bits - 1n, true) : int(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);

/** MySQL's and MariaDB's COLUMN_TYPE, as in `decimal(10,2) unsigned`. */
export function mysqlType(columnType: string, collation: string | null | undefined): Type {
  const [, name = "", list = ""] = /^([a-z0-9]+)(?:\(([^']*?)\))?/i.exec(columnType.trim()) ?? [];
  const lower = name.toLowerCase();
  const numbers = list.split(",").map(Number);
  const unsigned = /\bunsigned\b/i.test(columnType);
  const bits = named(integers, lower);
  if (bits !== undefined) return integer(bits, unsigned || /\bzerofill\b/i.test(columnType));
  switch (lower) {
    case "decimal":
    case "numeric":
      return { kind: "decimal", precision: numbers[0] || 10, scale: numbers[1] ?? 0 };
    case "float":
      return { kind: "float", bits: 32 };
    case "double":
      return { kind: "float", bits: 64 };
    case "bit":
      return (numbers[0] || 1) === 1 ? bit : { kind: "other", name: columnType };
    case "char":
    case "varchar":
    case "tinytext":
    case "text":
    case "mediumtext":
    case "longtext":
      if (collation === null || collation === undefined)
        return { kind: "other", name: `${columnType} without a collation` };
      return collation === "binary" ? { kind: "bytes" } : text(collation, /^ascii_/.test(collation));
    case "binary":
    case "varbinary":
    case "tinyblob":
    case "blob":
    case "mediumblob":
    case "longblob":
      return { kind: "bytes" };
    case "enum":
      return { kind: "enum", labels: labelsOf(columnType), collation: collation ?? undefined };
    case "date":
      return { kind: "date" };
    case "datetime":
    case "timestamp":
      return { kind: "datetime", digits: numbers[0] || 0, zoned: lower === "timestamp" };
    case "time":
      return { kind: "time", digits: numbers[0] || 0 };
    case "year":
      return { kind: "year" };
    case "json":
      return { kind: "json" };
    case "uuid":
      return { kind: "uuid" };
    default:
      return { kind: "other", name: columnType };
  }
}

/** The COLUMN_TYPE of a type, so that a view's columns can be read again like a table's. */
export function mysqlTypeName(type: Type): string {
  switch (type.kind) {
    case "int": {
      if (type.bit === true) return "bit(1)";
      if (type.unsigned) return type.max <= 0xffffffffn ? "int unsigned" : "bigint unsigned";
      return type.min >= -(2n ** 31n) && type.max < 2n ** 31n ? "int" : "bigint";
    }
    case "decimal":
      return `decimal(${type.precision},${type.scale ?? 0})`;
    case "float":
      return type.bits === 32 ? "float" : "double";
    case "text":
      return "longtext";
    case "enum":
      return `enum(${type.labels.map((label) => `'${label.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`).join(",")})`;
    case "bytes":
      return "longblob";
    case "boolean":
      return "tinyint(1)";
    case "datetime":
      return `${type.zoned ? "timestamp" : "datetime"}(${type.digits})`;
    case "time":
      return `time(${type.digits})`;
    case "null":
      return "null";
    case "other":
      return type.name;
    default:
      return type.kind;
  }
}

/** PostgreSQL's format_type(), as in `character varying(20)`. Enums are the caller's: their labels are not in the name. */
export function postgresType(format: string, collation: string | null | undefined, labels?: readonly string[]): Type {
  // A session with quote_all_identifiers writes "text"; what is not the server's own has its schema before it.
  const bare = format.trim().replace(/^"([a-z][a-z0-9_]*)"(?!\.)/, "$1");
  const [, name = "", list = "", rest = ""] = /^([^(]+)(?:\(([\d,]+)\))?( .*)?$/.exec(bare) ?? [];
  const full = `${name}${rest}`.trim();
  const numbers = list.split(",").map(Number);
  if (labels !== undefined) return { kind: "enum", labels: [...labels], collation: undefined, name: format };
  const bits = named(integers, full);
  if (bits !== undefined && full !== "tinyint" && full !== "mediumint" && full !== "int") return integer(bits, false);
  switch (full) {
    case "numeric":
      return {
        kind: "decimal",
        precision: list === "" ? 0 : (numbers[0] as number),
        scale: list === "" ? undefined : (numbers[1] ?? 0),
      };
    case "real":
      return { kind: "float", bits: 32 };
    case "double precision":
      return { kind: "float", bits: 64 };
    case "text":
    case "character varying":
      return text(collation ?? "default");
    case "character":
      return { ...text(collation ?? "default"), fixed: true } as Type;
    case "bytea":
      return { kind: "bytes" };
    case "boolean":
      return { kind: "boolean" };
    case "date":
      return { kind: "date" };
    case "timestamp without time zone":
    case "timestamp with time zone":
      return { kind: "datetime", digits: list === "" ? 6 : (numbers[0] as number), zoned: /with time/.test(full) };
    case "time without time zone":
      return { kind: "time", digits: list === "" ? 6 : (numbers[0] as number) };
    case "json":
    case "jsonb":
      return { kind: "json" };
    case "uuid":
      return { kind: "uuid" };
    default:
      return { kind: "other", name: format };
  }
}

/** Whether two types are one in every respect. */
export function sameType(one: Type, other: Type): boolean {
  const text = (type: Type) =>
    JSON.stringify(
      Object.entries(type).sort(([a], [b]) => (a < b ? -1 : 1)),
      (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value),
    );
  return text(one) === text(other);
}

/** For a person. */
export const formatType = (type: Type): string =>
  type.kind === "other" ? type.name : type.kind === "int" ? "a whole number" : type.kind;
