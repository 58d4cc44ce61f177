import { isUtf8 } from "node:buffer";
import { type SourceColumn, unescaped } from "../../../mysql/catalogue/catalogue.ts";
import { bytesOfHex, holdsBytes } from "../../../mysql/catalogue/exact-bytes.ts";
import { literal } from "../../../postgres/driver/names.ts";
import { isRealDate } from "../../../rows/mysql-to-copy/field-writers.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import { presentTime } from "./present-time.ts";
import type { TargetType } from "./types.ts";

/** Defaults that are proven to mean the same: literals and the present time; an expression is translated by the caller, the rest is reported. */
type Default = { sql: string } | { expression: string } | { reported: string } | undefined;

type Source = { literal: string } | { bytes: Buffer } | { now: string } | { expression: string } | undefined;

/**
 * The catalogue's writing, understood. MariaDB writes SQL: `NULL`, `'text'`, `5`, `current_timestamp(3)`, `uuid()`.
 * MySQL writes a literal's bare text, and marks expressions by `default_generated`.
 */
function sourceDefault(column: SourceColumn, maria: boolean): Source {
  const text = column.default;
  if (text === null) return undefined;
  const isTime = column.dataType === "datetime" || column.dataType === "timestamp";
  const now = /^(?:current_timestamp|now|localtime|localtimestamp)(?:\((\d*)\))?$/i.exec(text);
  if (now !== null && (maria || isTime)) return { now: now[1] ?? "" };
  const bytes = holdsBytes(column) ? bytesOfHex(text) : undefined;
  if (bytes !== undefined) return { bytes };
  if (maria) {
    if (text.toUpperCase() === "NULL") return undefined;
    const quoted = /^'((?:[^'\\]|''|\\[\s\S])*)'$/.exec(text);
    if (quoted !== null) return { literal: unescaped(quoted[1] ?? "") };
    return /^(-?\d+(\.\d+)?(e[-+]?\d+)?|b'[01]*')$/i.test(text) ? { literal: text } : { expression: text };
  }
  return column.extra.includes("default_generated") ? { expression: text } : { literal: text };
}

export function targetDefault(column: SourceColumn, type: TargetType, maria: boolean): Default {
  const source = sourceDefault(column, maria);
  if (source === undefined) return undefined;
  if (column.defaultInDoubt === "characters") {
    return {
      reported: `the default ${column.default}, where the source's catalogue shows ? for some characters and the table does not tell which,`,
    };
  }
  if (column.defaultInDoubt === "instant")
    return { reported: `the default ${column.default}, whose time zone the source's catalogue does not tell,` };
  if ("expression" in source) return source;
  if ("now" in source) {
    const digits = Number(source.now);
    if (column.dataType === "timestamp") return { sql: presentTime("CURRENT_TIMESTAMP", digits) };
    if (column.dataType === "datetime") return { sql: presentTime("LOCALTIMESTAMP", digits) };
    return { reported: "the default current_timestamp on a column that is no timestamp" };
  }
  if ("bytes" in source) {
    const { bytes } = source;
    const sql = type.sql === "bytea" ? bytea(bytes) : isUtf8(bytes) ? literalFor(bytes.toString(), type) : undefined;
    return sql === undefined ? { reported: `the default 0x${bytes.toString("hex")}` } : { sql };
  }
  const sql = literalFor(source.literal, type);
  return sql === undefined ? { reported: `the default ${source.literal}` } : { sql };
}

const bytea = (bytes: Buffer): string => `${literal(`\\x${bytes.toString("hex")}`)}::bytea`;

function literalFor(text: string, type: TargetType): string | undefined {
  const { field } = type;
  const bits = /^b'([01]*)'$/.exec(text)?.[1];
  switch (field.kind) {
    case kind.boolean:
      return text === "0" ? "false" : text === "1" ? "true" : undefined;
    case kind.bit1:
      return bits === undefined ? undefined : bits.endsWith("1") ? "true" : "false";
    case kind.bits:
      return bits === undefined ? undefined : `B'${bits.padStart(field.bits ?? 1, "0").slice(-(field.bits ?? 1))}'`;
    case kind.date: {
      const bytes = Buffer.from(text);
      return isRealDate(bytes, 0, bytes.length) ? literal(text) : undefined;
    }
    case kind.raw:
    case kind.unsigned:
      if (/^(uuid|inet|interval)/.test(type.sql)) return literal(text);
      return /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? text : undefined;
    case kind.time:
      return literal(text);
    case kind.bytea:
      return bytea(Buffer.from(text));
    case kind.text:
      return type.sql === "json" || text.includes("\0") ? undefined : literal(text);
    case kind.enumeration:
      return literal(text);
    case kind.set:
      return text === ""
        ? "'{}'::text[]"
        : `ARRAY[${text
            .split(",")
            .map((label) => literal(label))
            .join(", ")}]::text[]`;
    default:
      return undefined;
  }
}
