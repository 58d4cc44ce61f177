import { isBytes, type WireColumn, wireType } from "../../mysql/driver/prepared.ts";
import type { ColumnPlan } from "../../plan/mysql-postgres/columns/column-plan.ts";
import { kind, type MysqlToCopyField, type MysqlToCopyFieldKind } from "./fields.ts";

/**
 * Which columns can go from the binary protocol into COPY's binary format, and how: those whose outcome is that of the
 * text protocol and COPY text, value by value. The numbers in `op` are what the row loop switches on.
 */
export const op = {
  /** Integers, by the source's bytes and the target's; i: signed, u: unsigned. */
  i1to2: 0,
  u1to2: 1,
  i2to2: 2,
  u2to4: 3,
  i4to4: 4,
  u4to8: 5,
  i8to8: 6,
  /** Numbers above bigint's break the guess. */
  u8to8: 7,
  u8toNumeric: 8,
  boolean: 9,
  double: 10,
  /** A double that is some float's value. */
  doubleToFloat: 11,
  numeric: 12,
  text: 13,
  bytes: 14,
  date: 15,
  timestamp: 16,
  time: 17,
  interval: 18,
  enumeration: 19,
  json: 20,
  jsonb: 21,
  uuid: 22,
  bit1: 23,
  bits: 24,
  set: 25,
} as const;

export type FieldOperation = (typeof op)[keyof typeof op];

export interface BinaryField extends MysqlToCopyField {
  op: FieldOperation;
}

/** How long a column's value is on the wire: so many bytes, or as a byte before it says, or as a length of 1 to 9 bytes. */
export const byByte = -1;
const byLength = 0;

const sizes: Partial<Record<FieldOperation, number>> = {
  [op.i1to2]: 1,
  [op.u1to2]: 1,
  [op.boolean]: 1,
  [op.i2to2]: 2,
  [op.u2to4]: 2,
  [op.i4to4]: 4,
  [op.u4to8]: 4,
  [op.i8to8]: 8,
  [op.u8to8]: 8,
  [op.u8toNumeric]: 8,
  [op.double]: 8,
  [op.doubleToFloat]: 8,
  [op.date]: byByte,
  [op.timestamp]: byByte,
  [op.time]: byByte,
  [op.interval]: byByte,
};

export const sizeOf = (of: FieldOperation): number => sizes[of] ?? byLength;

const w = wireType;
const integers: ReadonlySet<number> = new Set([w.tiny, w.short, w.int24, w.long, w.longlong]);

/** What numbers become: the wire's type, an integer's with its sign, and the target's type. */
const numbers: Readonly<Record<string, FieldOperation>> = {
  [`${w.tiny} smallint`]: op.i1to2,
  [`${w.tiny}u smallint`]: op.u1to2,
  [`${w.short} smallint`]: op.i2to2,
  // 1901 to 2155, and 0.
  [`${w.year} smallint`]: op.i2to2,
  [`${w.short}u integer`]: op.u2to4,
  // Four bytes on the wire.
  [`${w.int24} integer`]: op.i4to4,
  [`${w.int24}u integer`]: op.i4to4,
  [`${w.long} integer`]: op.i4to4,
  [`${w.long}u bigint`]: op.u4to8,
  [`${w.longlong} bigint`]: op.i8to8,
  [`${w.longlong}u numeric`]: op.u8toNumeric,
  [`${w.newDecimal} numeric`]: op.numeric,
  [`${w.double} real`]: op.doubleToFloat,
  [`${w.double} double precision`]: op.double,
  [`${w.time} interval`]: op.interval,
};

const texts: Readonly<Record<string, FieldOperation>> = { varchar: op.text, text: op.text, json: op.text };
const dates: Readonly<Record<string, FieldOperation>> = {
  [`${w.date} date`]: op.date,
  [`${w.datetime} timestamp`]: op.timestamp,
  [`${w.timestamp} timestamptz`]: op.timestamp,
};

type Rule = (column: ColumnPlan, base: string, wire: WireColumn) => FieldOperation | undefined;

const rules: Partial<Record<MysqlToCopyFieldKind, Rule>> = {
  [kind.raw]: ({ source }, base, { type, unsigned }) =>
    source.dataType === "uuid" && base === "uuid" && isBytes(type)
      ? op.uuid
      : numbers[`${type}${unsigned && integers.has(type) ? "u" : ""} ${base}`],
  [kind.text]: (_, base, { type }) => (isBytes(type) ? texts[base] : undefined),
  [kind.bytea]: (_, base, { type }) => (base === "bytea" && isBytes(type) ? op.bytes : undefined),
  [kind.date]: (_, base, { type }) => dates[`${type} ${base}`],
  [kind.boolean]: (_, base, { type }) => (base === "boolean" && type === w.tiny ? op.boolean : undefined),
  [kind.unsigned]: (_, base, { type, unsigned }) =>
    base === "bigint" && type === w.longlong && unsigned ? op.u8to8 : undefined,
  [kind.time]: (_, base, { type }) => (base === "time" && type === w.time ? op.time : undefined),
  [kind.bit1]: (_, base, { type }) => (base === "boolean" && type === w.bit ? op.bit1 : undefined),
  [kind.bits]: (_, base, { type }) => (base === "bit" && type === w.bit ? op.bits : undefined),
  [kind.enumeration]: ({ type: { labels } }, base, { type }) =>
    (labels !== undefined || base === "text") && isBytes(type) ? op.enumeration : undefined,
  [kind.set]: ({ sql }, _, { type }) => (sql === "text[]" && isBytes(type) ? op.set : undefined),
  [kind.json]: (_, base, { type }) => {
    if (!isBytes(type)) return undefined;
    return base === "jsonb" ? op.jsonb : base === "json" ? op.json : undefined;
  },
};

/** The fields of a table all of whose columns can, or undefined. */
export function binaryFields(
  columns: readonly ColumnPlan[],
  fields: readonly MysqlToCopyField[],
  wire: readonly WireColumn[],
): BinaryField[] | undefined {
  if (wire.length !== columns.length) return undefined;
  const found: BinaryField[] = [];
  for (const [at, column] of columns.entries()) {
    const field = fields[at];
    const sent = wire[at];
    // A type that the user has named reads the source's text in a way of its own.
    if (field === undefined || sent === undefined || column.forced) return undefined;
    const how = rules[field.kind]?.(column, baseOf(column.sql), sent);
    if (how === undefined) return undefined;
    found.push({ ...field, op: how });
  }
  return found;
}

/** `numeric(12,2)` → `numeric`. */
const baseOf = (sql: string): string => /^[a-z ]+/.exec(sql)?.[0] ?? "";
