import { kind, type MysqlToCopyField, type MysqlToCopyFindings } from "./fields.ts";
import { createJsonCheck, type JsonCheck } from "./json-check.ts";
import { createShapeCheck } from "./shape-check.ts";

/**
 * Writers for the kinds that are not done in the row loop itself. Each writes one field that lies whole in
 * `from[start..start+length)` to `to` at `at`, and answers where it ended. At most 8 bytes are written for one read.
 */
export type FieldWriter = (from: Uint8Array, start: number, length: number, to: Uint8Array, at: number) => number;

const zero = 0x30;

/** 0: as it is; 1: NUL; else the letter after the backslash. */
const escapes = new Uint8Array(256);
for (const [character, letter] of [
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\v", "v"],
  ["\f", "f"],
  ["\r", "r"],
  ["\\", "\\"],
] as const) {
  escapes[character.charCodeAt(0)] = letter.charCodeAt(0);
}
escapes[0] = 1;

const hexHigh = new Uint8Array(256);
const hexLow = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const digits = byte.toString(16).padStart(2, "0");
  hexHigh[byte] = digits.charCodeAt(0);
  hexLow[byte] = digits.charCodeAt(1);
}

export function writeNull(to: Uint8Array, at: number): number {
  to[at] = 0x5c;
  to[at + 1] = 0x4e;
  return at + 2;
}

export function writeText(
  from: Uint8Array,
  start: number,
  length: number,
  to: Uint8Array,
  at: number,
  findings: MysqlToCopyFindings,
): number {
  let o = at;
  for (let p = start, end = start + length; p < end; p++) {
    const byte = from[p] as number;
    const letter = escapes[byte] as number;
    if (letter === 0) to[o++] = byte;
    else if (letter === 1) findings.nuls++;
    else {
      to[o++] = 0x5c;
      to[o++] = letter;
    }
  }
  return o;
}

export function writeHex(from: Uint8Array, start: number, length: number, to: Uint8Array, at: number): number {
  let o = at;
  for (let p = start, end = start + length; p < end; p++) {
    const byte = from[p] as number;
    to[o++] = hexHigh[byte] as number;
    to[o++] = hexLow[byte] as number;
  }
  return o;
}

/** `\\x`: COPY takes one backslash away. */
export function writeHexStart(to: Uint8Array, at: number): number {
  to[at] = to[at + 1] = 0x5c;
  to[at + 2] = 0x78;
  return at + 3;
}

const daysInMonth = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `YYYY-MM-DD…` names a day that PostgreSQL knows: no zero parts, and no 31st of February (ALLOW_INVALID_DATES). */
export function isRealDate(from: Uint8Array, start: number, length: number): boolean {
  if (length < 10) return false;
  const month = (from[start + 5] as number) * 10 + (from[start + 6] as number) - 528;
  const day = (from[start + 8] as number) * 10 + (from[start + 9] as number) - 528;
  if (month === 0 || day === 0) return false;
  if (from[start] === zero && from[start + 1] === zero && from[start + 2] === zero && from[start + 3] === zero)
    return false;
  if (day <= 28) return true;
  if (month !== 2) return day <= (daysInMonth[month] ?? 0);
  if (day !== 29) return false;
  const century = (from[start] as number) * 10 + (from[start + 1] as number) - 528;
  const year = (from[start + 2] as number) * 10 + (from[start + 3] as number) - 528;
  return year === 0 ? century % 4 === 0 : year % 4 === 0;
}

/** What is written for a date that the target does not know; it is counted, or breaks the guess. */
export function writeNoDate(
  field: MysqlToCopyField,
  findings: MysqlToCopyFindings,
  to: Uint8Array,
  at: number,
): number {
  findings.dates++;
  const { zero } = field;
  if (zero !== undefined && zero !== "fail") return copyBytes(zero.text, 0, zero.text.length, to, at);
  if (zero === "fail" || !field.nullable) findings.broken ??= "a date that does not exist";
  return writeNull(to, at);
}

/** A loop: for the few bytes of a number it is quicker than the call that copies them. */
export function copyBytes(from: Uint8Array, start: number, length: number, to: Uint8Array, at: number): number {
  for (let index = 0; index < length; index++) to[at + index] = from[start + index] as number;
  return at + length;
}

const largest = Buffer.from("9223372036854775807");

function isAboveBigint(from: Uint8Array, start: number, length: number): boolean {
  let p = start;
  let digits = length;
  for (; digits > 1 && from[p] === zero; digits--) p++;
  if (digits !== largest.length) return digits > largest.length;
  for (let index = 0; index < digits; index++) {
    const difference = (from[p + index] as number) - (largest[index] as number);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** `a,b` → `{"a","b"}`: quoted for the array, then escaped for COPY. */
function writeSet(
  from: Uint8Array,
  start: number,
  length: number,
  to: Uint8Array,
  at: number,
  findings: MysqlToCopyFindings,
): number {
  let o = at;
  to[o++] = 0x7b;
  if (length > 0) to[o++] = 0x22;
  for (let p = start, end = start + length; p < end; p++) {
    const byte = from[p] as number;
    if (byte === 0x2c) {
      to[o++] = 0x22;
      to[o++] = 0x2c;
      to[o++] = 0x22;
    } else if (byte === 0x22 || byte === 0x5c) {
      to[o++] = to[o++] = 0x5c;
      if (byte === 0x5c) to[o++] = 0x5c;
      to[o++] = byte;
    } else o = writeText(from, p, 1, to, o, findings);
  }
  if (length > 0) to[o++] = 0x22;
  to[o++] = 0x7d;
  return o;
}

/** The writer of a column, or undefined for the kinds of the row loop. `check` is where JSON's findings come from. */
export function writerOf(field: MysqlToCopyField, findings: MysqlToCopyFindings): FieldWriter | undefined {
  const breaks = (why: string) => {
    findings.broken ??= why;
  };
  switch (field.kind) {
    case kind.boolean:
      return (from, start, length, to, at) => {
        const digit = from[start];
        findings.seen = true;
        if (length !== 1 || (digit !== zero && digit !== zero + 1)) {
          breaks("a number other than 0 and 1");
          return at;
        }
        to[at] = digit === zero ? 0x66 : 0x74;
        return at + 1;
      };
    case kind.unsigned:
      return (from, start, length, to, at) => {
        if (length >= largest.length && isAboveBigint(from, start, length))
          breaks("a number above 9223372036854775807");
        return copyBytes(from, start, length, to, at);
      };
    case kind.time:
      return (from, start, length, to, at) => {
        const hours = (from[start] as number) * 10 + (from[start + 1] as number) - 528;
        if (from[start + 2] !== 0x3a || from[start] === minus || hours >= 24) breaks("a time outside of a day");
        return copyBytes(from, start, length, to, at);
      };
    case kind.bit1:
      return (from, start, length, to, at) => {
        to[at] = ((from[start + length - 1] as number) & 1) === 0 ? 0x66 : 0x74;
        return at + 1;
      };
    case kind.bits:
      return (from, start, length, to, at) => {
        const bits = field.bits ?? 1;
        let o = at;
        for (let bit = bits - 1; bit >= 0; bit--) {
          const byte = from[start + length - 1 - (bit >>> 3)] ?? 0;
          to[o++] = zero + ((byte >>> (bit & 7)) & 1);
        }
        return o;
      };
    case kind.enumeration:
      return (from, start, length, to, at) => {
        if (length === 0 && field.emptyLabel !== true) breaks("a value outside of the list, which reads as ''");
        return writeText(from, start, length, to, at, findings);
      };
    case kind.set:
      return (from, start, length, to, at) => writeSet(from, start, length, to, at, findings);
    case kind.json: {
      const check: JsonCheck = createJsonCheck();
      return (from, start, length, to, at) => {
        check.start(field);
        check.feed(from, start, start + length);
        const trouble = check.finish();
        if (trouble !== undefined) breaks(trouble);
        return writeText(from, start, length, to, at, findings);
      };
    }
    case kind.geometry:
      return (from, start, length, to, at) => {
        let srid = 0;
        for (let byte = 0; byte < sridBytes; byte++) srid += (from[start + byte] as number) * 256 ** byte;
        noteSrid(findings, srid);
        return writeHex(from, start + sridBytes, Math.max(0, length - sridBytes), to, writeHexStart(to, at));
      };
    case kind.ewkb: {
      const check = createShapeCheck();
      return (from, start, length, to, at) => {
        check.start(field.shape ?? 0);
        check.feed(from, start, start + length);
        const trouble = check.finish();
        if (trouble !== undefined) {
          breaks(trouble);
          return at;
        }
        return writeHex(from, start + ewkbHead, length - ewkbHead, to, writeEwkbStart(from, start, to, at));
      };
    }
    default:
      return undefined;
  }
}

/** Little-endian, before the WKB. */
export const sridBytes = 4;

/** The SRID, the byte order and the geometry's number. */
export const ewkbHead = sridBytes + 5;
const hasSrid = 0x20;

/** EWKB's head from the same of a geometry of MySQL. */
export function writeEwkbStart(from: Uint8Array, start: number, to: Uint8Array, at: number): number {
  const srid = from.subarray(start, start + sridBytes);
  const head = Uint8Array.from(from.subarray(start + sridBytes, start + ewkbHead));
  if (srid.every((byte) => byte === 0)) return writeHex(head, 0, head.length, to, at);
  head[4] = (head[4] as number) | hasSrid;
  return writeHex(srid, 0, sridBytes, to, writeHex(head, 0, head.length, to, at));
}

export function noteSrid(findings: MysqlToCopyFindings, srid: number): void {
  if (srid === 0) return;
  findings.srids++;
  findings.srid ||= srid;
}

const minus = 0x2d;
