import type { ColumnMeaning } from "../meaning.ts";
import { postgresType, type Type } from "../types.ts";
import { bitsOf } from "./arithmetic.ts";
import type { MysqlTerm } from "./term.ts";

/** Columns of the target, by what they are in the source; and columns of views, as if they were a table's. */

export function columnTerm(column: ColumnMeaning, sql: string): MysqlTerm {
  const type = postgresType(column.sourceType, column.collation, column.labels);
  const term: MysqlTerm = { sql, type, nullable: column.nullable };
  const target = column.targetType.toLowerCase();
  const expected: Partial<Record<typeof type.kind, RegExp>> = {
    int: /^(tiny|small|medium|big)?int/,
    decimal: /^decimal/,
    float: /^double/,
    text: /^(varchar|char|(tiny|medium|long)?text)\b/,
    enum: /^enum/,
    bytes: /^(varbinary|binary|(tiny|medium|long)?blob)/,
    boolean: /^(tinyint|bool)/,
    date: /^date$/,
    datetime: /^datetime/,
    time: /^time\b/,
  };
  if (expected[type.kind]?.test(target) === true) return term;
  return { ...term, type: { kind: "other", name: `a column of ${column.sourceType} as ${column.targetType}` } };
}

/** A type as format_type() writes it, and one of MySQL that goes with it. `other` is none, so that what is read from it is only passed on. */
export function nameOfType(type: Type): [sourceType: string, targetType: string] {
  switch (type.kind) {
    case "int":
      if (bitsOf(type) === 16n) return ["smallint", "smallint"];
      return bitsOf(type) === 32n ? ["integer", "int"] : ["bigint", "bigint"];
    case "decimal": {
      if (type.scale === undefined) return ["numeric", "decimal"];
      const digits = `(${type.precision},${type.scale})`;
      return [`numeric${digits}`, `decimal${digits}`];
    }
    case "float":
      return type.bits === 32 ? ["real", "double"] : ["double precision", "double"];
    case "text":
      return type.fixed === true ? ["character(1)", "char"] : ["text", "longtext"];
    case "enum":
      return [type.name ?? "enum", "enum"];
    case "bytes":
      return ["bytea", "longblob"];
    case "boolean":
      return ["boolean", "tinyint(1)"];
    case "date":
      return ["date", "date"];
    case "datetime":
      return [`timestamp(${type.digits}) with${type.zoned ? "" : "out"} time zone`, "datetime(6)"];
    case "time":
      return [`time(${type.digits}) without time zone`, "time(6)"];
    case "other":
      return [type.name, "other"];
    default:
      return [type.kind, "other"];
  }
}
