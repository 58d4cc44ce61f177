import { literal } from "../../../mysql/driver/names.ts";
import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { kind } from "../../../rows/copy-to-load/fields.ts";
import type { TargetType } from "./target-type.ts";

/** Defaults that are proven to mean the same: literals and the present time; the rest is left to the translation. */
type Default = { sql: string; note?: string } | { unknown: string } | { reason: string } | undefined;

/** A literal of pg_get_expr with its casts taken off; undefined where it is none. */
export function literalOf(text: string): string | null | undefined {
  let rest = text.trim();
  for (;;) {
    const cast =
      /^([\s\S]*?)::(?:"(?:[^"]|"")*"|[a-z ]+)(?:\.(?:"(?:[^"]|"")*"|[a-z]+))?(?:\(\d+(?:,\s*-?\d+)?\))?(?: (?:with|without) time zone)?(?:\[\])*$/.exec(
        rest,
      );
    const inner = cast?.[1] ?? rest;
    const bare = /^\((-?\d+(?:\.\d+)?)\)$/.exec(inner)?.[1] ?? inner;
    if (/^NULL$/i.test(bare)) return null;
    if (/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(bare) || /^(?:true|false)$/.test(bare)) return bare;
    const text = textOf(bare);
    if (text !== undefined) return text;
    if (cast === null || inner === rest) return undefined;
    rest = /^\(([\s\S]*)\)$/.exec(inner)?.[1] ?? inner;
  }
}

/** A backslash escapes after an E only. */
function textOf(quoted: string): string | undefined {
  const plain = /^'((?:[^']|'')*)'$/.exec(quoted)?.[1];
  if (plain !== undefined) return plain.replaceAll("''", "'");
  const escaped = /^E'((?:[^'\\]|''|\\[\s\S])*)'$/.exec(quoted)?.[1];
  return escaped
    ?.replaceAll("''", "'")
    .replaceAll(/\\([\s\S])/g, (_, one: string) => ({ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" })[one] ?? one);
}

const isNow =
  /^(?:"?now"?\(\)|CURRENT_TIMESTAMP(?:\(\d\))?|LOCALTIMESTAMP(?:\(\d\))?|(?:transaction|statement|clock)_timestamp\(\)|"(?:transaction|statement|clock)_timestamp"\(\)|CURRENT_DATE|LOCALTIME(?:\(\d\))?|\("?now"?\(\)\)::"?(?:date|timestamp without time zone)"?|\('now'::"?text"?\)::"?date"?)$/i;
const isUuid = /^(?:"?[\w]+"?\.)?"?(?:gen_random_uuid|uuid_generate_v[14])"?\(\)$/;

export function targetDefault(column: ColumnDefinition, type: TargetType): Default {
  const text = column.default;
  if (text === null) return undefined;
  const inRow = !/^(?:LONG|MEDIUM|TINY)?(?:TEXT|BLOB)|^JSON/.test(type.sql);
  if (isNow.test(text)) return present(column, type);
  if (isUuid.test(text) && type.sql.startsWith("CHAR(36)"))
    return { sql: "(UUID())", note: "by UUID(), which is of version 1" };
  const value = literalOf(text);
  if (value === null) return undefined;
  const sql = value === undefined ? undefined : literalFor(value, column, type);
  if (sql === undefined) return { unknown: text };
  if (value !== undefined && !fits(value, type.sql))
    return { reason: `a ${type.sql} cannot hold it, and PostgreSQL refuses each row that would take it` };
  return { sql: inRow && !sql.startsWith("(") ? sql : sql.startsWith("(") ? sql : `(${sql})` };
}

function present(column: ColumnDefinition, { sql }: TargetType): Default {
  const digits = /\(\d\)/.exec(sql)?.[0] ?? "";
  // timestamptz is kept in UTC whatever the session's time zone.
  if (column.type === "timestamptz") return { sql: `(UTC_TIMESTAMP${digits === "" ? "()" : digits})` };
  if (column.type === "timestamp") return { sql: `CURRENT_TIMESTAMP${digits}` };
  if (column.type === "date") return { sql: "(CURRENT_DATE)" };
  if (column.type === "time") return { sql: `(CURRENT_TIME${digits === "" ? "()" : digits})` };
  return { unknown: column.default ?? "" };
}

function literalFor(value: string, column: ColumnDefinition, type: TargetType): string | undefined {
  if (column.array) return value === "{}" ? "'[]'" : undefined;
  switch (type.kind) {
    case kind.boolean:
      return /^(?:t|true|1)$/.test(value) ? "1" : /^(?:f|false|0)$/.test(value) ? "0" : undefined;
    case kind.date: {
      const time = value.replace(/\+00$/, "");
      return /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$/.test(time) ? literal(time) : undefined;
    }
    case kind.float:
    case kind.numeric:
      return numberFor(value, type.kind);
    case kind.bytes: {
      const hex = /^\\x((?:[0-9a-f]{2})*)$/i.exec(value)?.[1];
      return hex === undefined ? undefined : `(UNHEX('${hex}'))`;
    }
    case kind.shape:
      return undefined;
    case kind.bits:
      return /^[01]+$/.test(value) ? `b'${value}'` : undefined;
    default:
      if (column.sort === "c" || column.sort === "r" || column.sort === "m") return undefined;
      if (/^(?:SMALLINT|INT|BIGINT)/.test(type.sql)) return /^-?\d+$/.test(value) ? value : undefined;
      if (column.type === "money") return undefined;
      return literal(value);
  }
}

const integerBits: Readonly<Record<string, number>> = { SMALLINT: 16, INT: 32, BIGINT: 64 };

/** PostgreSQL looks at a default when a row takes it, MySQL when the table is made. */
function fits(value: string, sql: string): boolean {
  const [, name = "", first, second] = /^([A-Z]+)(?:\((\d+)(?:,\s*(\d+))?\))?/.exec(sql) ?? [];
  const bits = integerBits[name];
  if (bits !== undefined) return /^-?\d+$/.test(value) && BigInt.asIntN(bits, BigInt(value)) === BigInt(value);
  if (name === "VARCHAR" || name === "CHAR") return [...value].length <= Number(first);
  if (name !== "DECIMAL") return true;
  const whole = /^-?0*(\d*)/.exec(value)?.[1]?.length ?? 0;
  return whole <= Number(first) - Number(second ?? 0);
}

/** Digits of a literal that MySQL keeps, and those after the point: it clips or rounds what has more. */
const exactDigits = { all: 65, fraction: 30 };

function numberFor(value: string, how: TargetType["kind"]): string | undefined {
  // Without an exponent it would be an exact zero, which has no sign.
  if (how === kind.float && /^-0+(?:\.0*)?$/.test(value)) return "-0e0";
  const [, whole, fraction = "", exponent] = /^-?(\d+)(?:\.(\d+))?(e[-+]?\d+)?$/i.exec(value) ?? [];
  if (whole === undefined) return undefined;
  const fits = whole.length + fraction.length <= exactDigits.all && fraction.length <= exactDigits.fraction;
  if (exponent === undefined && fits) return value;
  if (how === kind.numeric) return undefined;
  const double = Number(value);
  if (!Number.isFinite(double)) return undefined;
  return `${double}`.includes("e") ? `${double}` : `${double}e0`;
}
