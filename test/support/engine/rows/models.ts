import { deepStrictEqual } from "node:assert/strict";
import { type FieldOperation, op } from "../../../../src/engine/rows/mysql-to-copy/binary-fields.ts";
import { kind, type MysqlToCopyField } from "../../../../src/engine/rows/mysql-to-copy/fields.ts";

/** Types for the test of the binary rows: random values as both protocols send them, and what PostgreSQL reads. */

/** A value as both protocols send it; `wire` without its length. */
export interface Value {
  text: Buffer;
  wire: Buffer;
}

export type Below = (most: number) => number;

/** A type: values of it, and PostgreSQL's reading of the field that COPY is given, in the words of COPY text. */
export interface Model {
  field: Partial<MysqlToCopyField> & Pick<MysqlToCopyField, "kind">;
  op: FieldOperation;
  value(below: Below): Value;
  read(field: Buffer): string;
  /** COPY text's words where they may differ for the same value. */
  same?(text: string): string;
}

export const number = (value: bigint, size: number, text = String(value)): Value => {
  const wire = Buffer.alloc(8);
  wire.writeBigInt64LE(BigInt.asIntN(64, value));
  return { text: Buffer.from(text), wire: wire.subarray(0, size) };
};

const integer = (how: FieldOperation, from: number, to: number, signed: boolean, more: Partial<Model> = {}): Model => ({
  field: { kind: kind.raw },
  op: how,
  value(below) {
    const bits = BigInt(from * 8);
    const least = signed ? -(2n ** (bits - 1n)) : 0n;
    const most = least + 2n ** bits - 1n;
    const edges = [least, most, 0n, 1n, most / 2n, most / 2n + 1n, -1n < least ? 0n : -1n];
    const any = BigInt.asUintN(from * 8, BigInt(below(2 ** 31)) * 0x9e3779b97f4a7c15n) + least;
    return number(below(3) === 0 ? (edges[below(edges.length)] as bigint) : any, from);
  },
  read: (field) => (to === 8 ? String(field.readBigInt64BE()) : String(field.readIntBE(0, to))),
  ...more,
});

const double = (below: Below): number => {
  const bytes = Buffer.from(Array.from({ length: 8 }, () => below(256)));
  const value = bytes.readDoubleLE();
  return [0, -0, 0.1, 5e-324, 1.7976931348623157e308][below(12)] ?? (Number.isFinite(value) ? value : 1.5);
};
const texted = (value: number): Buffer => Buffer.from(Object.is(value, -0) ? "-0" : String(value));
const doubleWire = (value: number): Buffer => {
  const wire = Buffer.alloc(8);
  wire.writeDoubleLE(value);
  return wire;
};
const written = (value: number): string => texted(value).toString();

const digitsOf = (length: number, below: Below): string => Array.from({ length }, () => below(10)).join("");

function readNumeric(field: Buffer): string {
  const groups = field.readInt16BE(0);
  const weight = field.readInt16BE(2);
  const scale = field.readInt16BE(6);
  deepStrictEqual(field.length, 8 + groups * 2);
  let whole = 0n;
  for (let at = 0; at < groups; at++) whole = whole * 10_000n + BigInt(field.readUInt16BE(8 + at * 2));
  // As one number of `scale` decimals.
  const shift = BigInt(scale) + 4n * BigInt(weight + 1 - groups);
  const all = shift >= 0n ? whole * 10n ** shift : whole / 10n ** -shift;
  const digits = String(all).padStart(scale + 1, "0");
  const sign = field.readUInt16BE(4) === 0x4000 && all !== 0n ? "-" : "";
  const cut = digits.length - scale;
  return `${sign}${digits.slice(0, cut)}${scale > 0 ? `.${digits.slice(cut)}` : ""}`;
}

const two = (value: number, width = 2) => String(value).padStart(width, "0");
const trimmed = (wire: Buffer, lengths: readonly number[]): Buffer =>
  wire.subarray(
    0,
    lengths.find((length) => wire.subarray(length).every((byte) => byte === 0)),
  );

function moment(below: Below, withClock: boolean): Value {
  const odd = below(12);
  const year = odd === 0 ? 0 : ([1, 4, 100, 1582, 1900, 2000, 2024, 2100, 9999][below(20)] ?? 1 + below(9999));
  const month = odd <= 1 ? 0 : 1 + below(12);
  const day = odd <= 2 ? 0 : 1 + below(31);
  const clock = below(3) === 0 ? [0, 0, 0, 0] : [below(24), below(60), below(60), below(2) * below(1_000_000)];
  const [hour = 0, minute = 0, second = 0, micros = 0] = clock;
  const wire = Buffer.alloc(withClock ? 11 : 4);
  wire.writeUInt16LE(year);
  wire.set([month, day, ...(withClock ? [hour, minute, second] : [])], 2);
  if (withClock) wire.writeUInt32LE(micros, 7);
  const date = `${two(year, 4)}-${two(month)}-${two(day)}`;
  const time = `${two(hour)}:${two(minute)}:${two(second)}.${two(micros, 6)}`;
  return { text: Buffer.from(withClock ? `${date} ${time}` : date), wire: trimmed(wire, [0, 4, 7]) };
}

const epoch = Date.UTC(2000, 0, 1);
const isoOf = (ms: number): string => new Date(ms).toISOString();
const readDate = (field: Buffer): string => isoOf(epoch + field.readInt32BE() * 86_400_000).slice(0, 10);
const readTimestamp = (field: Buffer): string => {
  const micros = field.readBigInt64BE() + BigInt(epoch) * 1000n;
  const day = micros / 1000n - (micros % 1000n < 0n ? 1n : 0n);
  const rest = micros - day * 1000n;
  return `${isoOf(Number(day)).slice(0, 23).replace("T", " ")}${two(Number(rest), 3)}`;
};
const readClock = (micros: bigint): string => {
  const whole = micros < 0n ? -micros : micros;
  const seconds = Number(whole / 1_000_000n);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => two(part));
  return `${micros < 0n ? "-" : ""}${clock.join(":")}.${two(Number(whole % 1_000_000n), 6)}`;
};

const span =
  (hours: number, sign: boolean) =>
  (below: Below): Value => {
    const isZero = below(8) === 0;
    const [hour, minute, second, micros] = isZero
      ? [0, 0, 0, 0]
      : [below(hours), below(60), below(60), below(2) * below(1_000_000)];
    const minus = sign && below(2) === 0 && hour + minute + second + micros > 0;
    const wire = Buffer.alloc(12);
    wire[0] = minus ? 1 : 0;
    wire.writeUInt32LE(Math.floor(hour / 24), 1);
    wire.set([hour % 24, minute, second], 5);
    wire.writeUInt32LE(micros, 8);
    const text = `${minus ? "-" : ""}${two(hour)}:${two(minute)}:${two(second)}.${two(micros, 6)}`;
    return { text: Buffer.from(text), wire: trimmed(wire, [0, 8]) };
  };

const bytes =
  (most: number) =>
  (below: Below): Value => {
    const any = Buffer.from(Array.from({ length: below(most) }, () => below(256)));
    return { text: any, wire: any };
  };
export const oneOf =
  (texts: readonly string[]) =>
  (below: Below): Value => {
    const text = Buffer.from(texts[below(texts.length)] as string);
    return { text, wire: text };
  };
const latin = (field: Buffer): string => field.toString("latin1");
function latinAfterVersion(field: Buffer): string {
  deepStrictEqual(field[0], 1);
  return latin(field.subarray(1));
}
const documents = ['{"a":1,"b":[true,null,"x\\u0041"]}', "[]", '"é漢"', "1.5", "{}", '{"k":{"k":{"k":-1e10}}}'];

export const models: Record<string, Model> = {
  tinyint: integer(op.i1to2, 1, 2, true),
  "tinyint unsigned": integer(op.u1to2, 1, 2, false),
  smallint: integer(op.i2to2, 2, 2, true),
  "smallint unsigned": integer(op.u2to4, 2, 4, false),
  int: integer(op.i4to4, 4, 4, true),
  "int unsigned": integer(op.u4to8, 4, 8, false),
  bigint: integer(op.i8to8, 8, 8, true),
  "bigint unsigned, guessed": integer(op.u8to8, 8, 8, true, {
    field: { kind: kind.unsigned },
    value: (below) => number(below(2) === 0 ? 2n ** 63n - 1n : BigInt(below(2 ** 31)) << 32n, 8),
  }),
  "bigint unsigned": integer(op.u8toNumeric, 8, 8, false, { read: readNumeric }),
  boolean: {
    field: { kind: kind.boolean },
    op: op.boolean,
    value: (below) => number(BigInt(below(2)), 1),
    read: (field) => (field[0] === 1 ? "t" : "f"),
  },
  double: {
    field: { kind: kind.raw },
    op: op.double,
    value(below) {
      const value = double(below);
      return { text: texted(value), wire: doubleWire(value) };
    },
    read: (field) => written(field.readDoubleBE()),
  },
  float: {
    field: { kind: kind.raw },
    op: op.doubleToFloat,
    value(below) {
      const rounded = Math.fround(double(below));
      const value = Number.isFinite(rounded) ? rounded : 16777216;
      return { text: texted(value), wire: doubleWire(value) };
    },
    read: (field) => written(field.readFloatBE()),
  },
  decimal: {
    field: { kind: kind.raw },
    op: op.numeric,
    value(below) {
      const scale = [0, 1, 2, 3, 4, 5, 30][below(7)] as number;
      const whole = digitsOf(1 + below(35), below);
      const text = `${below(2) === 0 ? "-" : ""}${whole}${scale > 0 ? `.${digitsOf(scale, below)}` : ""}`;
      return { text: Buffer.from(text), wire: Buffer.from(text) };
    },
    read: readNumeric,
    // A ZEROFILL's zeros, and the sign of none.
    same: (text) => text.replace(/^(-?)0+(?=\d)/, "$1").replace(/^-(?=[0.]*$)/, ""),
  },
  text: { field: { kind: kind.text }, op: op.text, value: bytes(300), read: latin },
  bytes: {
    field: { kind: kind.bytea },
    op: op.bytes,
    value: bytes(300),
    read: (field) => `\\x${field.toString("hex")}`,
  },
  date: { field: { kind: kind.date }, op: op.date, value: (below) => moment(below, false), read: readDate },
  timestamp: {
    field: { kind: kind.date },
    op: op.timestamp,
    value: (below) => moment(below, true),
    read: readTimestamp,
    // What stands for a date that does not exist.
    same: (text) => (text.length === 10 ? `${text} 00:00:00.000000` : text),
  },
  time: {
    field: { kind: kind.time },
    op: op.time,
    value: span(24, false),
    read: (field) => readClock(field.readBigInt64BE()),
  },
  interval: {
    field: { kind: kind.raw },
    op: op.interval,
    value: span(839, true),
    read(field) {
      deepStrictEqual(field.readBigInt64BE(8), 0n);
      return readClock(field.readBigInt64BE());
    },
  },
  enum: {
    field: { kind: kind.enumeration, emptyLabel: true },
    op: op.enumeration,
    value: oneOf(["a", "", "größe", "a\\b"]),
    read: latin,
  },
  set: {
    field: { kind: kind.set },
    op: op.set,
    value: oneOf(["", "a", "a,b,c,d", 'q"uote,back\\slash', "größe,"]),
    read(field) {
      const [dimensions = 0, nulls, type] = [0, 4, 8].map((at) => field.readInt32BE(at));
      deepStrictEqual([nulls, type], [0, 25]);
      if (dimensions === 0) return "{}";
      deepStrictEqual([dimensions, field.readInt32BE(16)], [1, 1]);
      let at = 20;
      const labels = Array.from({ length: field.readInt32BE(12) }, () => {
        const size = field.readInt32BE(at);
        at += 4 + size;
        return latin(field.subarray(at - size, at));
      });
      deepStrictEqual(at, field.length);
      return `{${labels.map((label) => `"${label.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
    },
  },
  jsonb: {
    field: { kind: kind.json },
    op: op.jsonb,
    value: oneOf(documents),
    read: latinAfterVersion,
  },
  json: { field: { kind: kind.json, grammar: true, json: true }, op: op.json, value: oneOf(documents), read: latin },
  uuid: {
    field: { kind: kind.raw },
    op: op.uuid,
    value(below) {
      const hex = Array.from({ length: 32 }, () => below(16).toString(16)).join("");
      return oneOf([hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")])(below);
    },
    read: (field) => field.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  },
  bit: {
    field: { kind: kind.bit1 },
    op: op.bit1,
    value: (below) => oneOf(["\0", "\x01"])(below),
    read: (field) => (field[0] === 1 ? "t" : "f"),
  },
  ...Object.fromEntries([2, 8, 10, 33, 63, 64].map((bits) => [`bit(${bits})`, bitString(bits)])),
};

function bitString(bits: number): Model {
  return {
    field: { kind: kind.bits, bits },
    op: op.bits,
    value(below) {
      const wire = Buffer.from(Array.from({ length: (bits + 7) >> 3 }, () => below(256)));
      if (bits % 8 > 0) wire[0] = (wire[0] as number) % 2 ** (bits % 8);
      return { text: wire, wire };
    },
    read(field) {
      deepStrictEqual(field.readInt32BE(), bits);
      const digits = Array.from(field.subarray(4), (byte) => byte.toString(2).padStart(8, "0")).join("");
      deepStrictEqual(digits.slice(bits), "0".repeat(digits.length - bits));
      return digits.slice(0, bits);
    },
  };
}

export function timeOf(text: string, sign: number, days: number, hours: number, seconds: number): Value {
  return { text: Buffer.from(text), wire: Buffer.from([sign, days, 0, 0, 0, hours, 0, seconds]) };
}
export function dateOf(text: string, year: number, month: number, day: number): Value {
  return { text: Buffer.from(text), wire: Buffer.from([year & 0xff, year >> 8, month, day]) };
}

const filler = (size: number, below: Below): Value => {
  const text = Buffer.alloc(size, `${below(10)}größe \\ \t${"x".repeat(below(20))}`);
  return { text, wire: text };
};
/** Values that make a row a long one. */
export const longModels: Model[] = [
  { field: { kind: kind.text }, op: op.text, value: (below) => filler(300_000 + below(9), below), read: latin },
  {
    field: { kind: kind.bytea },
    op: op.bytes,
    value(below) {
      const bytes = Buffer.alloc(262_000 + below(9), Buffer.from([0, below(256), 7, 9]));
      return { text: bytes, wire: bytes };
    },
    read: (field) => `\\x${field.toString("hex")}`,
  },
  {
    field: { kind: kind.json },
    op: op.jsonb,
    value: (below) => oneOf([`["${"é".repeat(150_000 + below(9))}"]`])(below),
    read: latinAfterVersion,
  },
];
