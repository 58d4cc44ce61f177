import { ProtocolError } from "../../mysql/driver/errors.ts";

/**
 * Values of MySQL's binary protocol → fields of COPY's binary format: a length of four bytes and the value, in network
 * order. Each function writes to `to` at `at` and answers where it ended.
 */

export function putInt16(to: Uint8Array, at: number, value: number): number {
  to[at] = value >>> 8;
  to[at + 1] = value;
  return at + 2;
}

export function putInt32(to: Uint8Array, at: number, value: number): number {
  to[at] = value >>> 24;
  to[at + 1] = value >>> 16;
  to[at + 2] = value >>> 8;
  to[at + 3] = value;
  return at + 4;
}

export const putNull = (to: Uint8Array, at: number): number => putInt32(to, at, -1);

/** Up to here a loop is quicker than the call that copies. */
const fewBytes = 256;

/** The buffers of the last call, to read and write four bytes at a time. */
let source: Buffer | undefined;
let sourceView: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));
let target: Buffer | undefined;
let targetView: DataView<ArrayBufferLike> = sourceView;

/** As many of `size` bytes as have no zero among their next four; how many that were. */
export function copyUpToZero(from: Buffer, start: number, size: number, to: Buffer, at: number): number {
  if (from !== source) {
    source = from;
    sourceView = new DataView(from.buffer, from.byteOffset, from.length);
  }
  if (to !== target) {
    target = to;
    targetView = new DataView(to.buffer, to.byteOffset, to.length);
  }
  let done = 0;
  for (; done + 4 <= size; done += 4) {
    const four = sourceView.getInt32(start + done, true);
    // Not 0 where one of the bytes is.
    if (((four - 0x01010101) & ~four & 0x80808080) !== 0) break;
    targetView.setInt32(at + done, four, true);
  }
  return done;
}

export function writeBytes(from: Buffer, start: number, size: number, to: Buffer, at: number): number {
  const o = putInt32(to, at, size);
  if (size > fewBytes) from.copy(to, o, start, start + size);
  else for (let index = 0; index < size; index++) to[o + index] = from[start + index] as number;
  return o + size;
}

export function writeByte(value: number, to: Uint8Array, at: number): number {
  const o = putInt32(to, at, 1);
  to[o] = value;
  return o + 1;
}

/** `size` bytes in the other order: integers and floats of the same width. */
export function writeReversed(from: Uint8Array, start: number, size: number, to: Uint8Array, at: number): number {
  let o = putInt32(to, at, size);
  for (let p = start + size - 1; p >= start; p--) to[o++] = from[p] as number;
  return o;
}

/** An integer of `size` bytes, at most four, as one of `width` bytes; `unsigned` or not. */
export function writeWider(
  from: Uint8Array,
  start: number,
  size: number,
  unsigned: boolean,
  width: number,
  to: Uint8Array,
  at: number,
): number {
  let o = putInt32(to, at, width);
  const fill = !unsigned && (from[start + size - 1] as number) > 0x7f ? 0xff : 0;
  for (let left = width - size; left > 0; left--) to[o++] = fill;
  for (let p = start + size - 1; p >= start; p--) to[o++] = from[p] as number;
  return o;
}

const scratch = Buffer.alloc(8);

export function writeDoubleAsFloat(from: Uint8Array, start: number, to: Uint8Array, at: number): number {
  for (let byte = 0; byte < 8; byte++) scratch[byte] = from[start + byte] as number;
  scratch.writeFloatBE(scratch.readDoubleLE(0), 0);
  const o = putInt32(to, at, 4);
  for (let byte = 0; byte < 4; byte++) to[o + byte] = scratch[byte] as number;
  return o + 4;
}

const digits = Buffer.alloc(20);

export function writeUnsignedAsNumeric(from: Uint8Array, start: number, to: Uint8Array, at: number): number {
  for (let byte = 0; byte < 8; byte++) scratch[byte] = from[start + byte] as number;
  const length = digits.write(scratch.readBigUInt64LE(0).toString(), "latin1");
  return writeNumeric(digits, 0, length, to, at);
}

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const negative = 0x4000;

/**
 * `-123.45` as numeric's groups of four digits. Source: PostgreSQL, src/backend/utils/adt/numeric.c, numeric_recv, which
 * takes leading and trailing groups of zeros away.
 */
export function writeNumeric(from: Uint8Array, start: number, size: number, to: Uint8Array, at: number): number {
  const end = start + size;
  const isNegative = from[start] === minus;
  let p = isNegative ? start + 1 : start;
  let dot = p;
  while (dot < end && from[dot] !== point) dot++;
  const whole = dot - p;
  const scale = dot < end ? end - dot - 1 : 0;
  const groups = ((whole + 3) >> 2) + ((scale + 3) >> 2);
  let o = putInt32(to, at, 8 + 2 * groups);
  o = putInt16(to, o, groups);
  o = putInt16(to, o, ((whole + 3) >> 2) - 1);
  o = putInt16(to, o, isNegative ? negative : 0);
  o = putInt16(to, o, scale);
  // The first group has what is left over, or four digits.
  for (let left = whole & 3 || 4; p < dot; left = 4) {
    let group = 0;
    for (; left > 0; left--) group = group * 10 + (from[p++] as number) - zero;
    o = putInt16(to, o, group);
  }
  for (p++; p < end; ) {
    let group = 0;
    for (let left = 4; left > 0; left--) group = group * 10 + (p < end ? (from[p++] as number) - zero : 0);
    o = putInt16(to, o, group);
  }
  return o;
}

const daysBefore = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const daysIn = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Of the year 2000's first day, by the same count. */
const epoch = 730_485;

/** Days since 2000-01-01. */
export function dayNumber(year: number, month: number, day: number): number {
  // A leap day counts from March on.
  const last = month > 2 ? year : year - 1;
  const leaps = (last >> 2) - ((last / 100) | 0) + ((last / 400) | 0);
  return year * 365 + leaps + (daysBefore[month] as number) + day - epoch;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** The day of a DATE, DATETIME or TIMESTAMP, or undefined for one that the target does not know (field-writers.ts). */
export function readDay(from: Uint8Array, start: number, size: number): number | undefined {
  if (size < 4) return undefined;
  const year = (from[start] as number) | ((from[start + 1] as number) << 8);
  const month = from[start + 2] as number;
  const day = from[start + 3] as number;
  if (year === 0 || month === 0 || day === 0 || month > 12) return undefined;
  if (day > (daysIn[month] as number) && !(month === 2 && day === 29 && isLeap(year))) return undefined;
  return dayNumber(year, month, day);
}

export const writeDay = (day: number, to: Uint8Array, at: number): number => putInt32(to, putInt32(to, at, 4), day);

/** Microseconds of hours, minutes, seconds and what follows them; `size` says how much of that there is. */
export function readClock(from: Uint8Array, start: number, size: number): number {
  if (size < 3) return 0;
  const seconds = (from[start] as number) * 3600 + (from[start + 1] as number) * 60 + (from[start + 2] as number);
  return seconds * 1e6 + (size < 7 ? 0 : readUInt32(from, start + 3));
}

export const readUInt32 = (from: Uint8Array, at: number): number =>
  (from[at] as number) +
  (from[at + 1] as number) * 0x100 +
  (from[at + 2] as number) * 0x10000 +
  (from[at + 3] as number) * 0x1000000;

const two32 = 0x100000000;
/** A day's microseconds are 20 × 2³² and this many. */
const dayLow = 500_654_080;

/** Days and microseconds as one number of 64 bits, which a double does not hold: high and low half apart. */
export function putMicroseconds(day: number, clock: number, to: Uint8Array, at: number): number {
  const low = day * dayLow + clock;
  const carry = Math.floor(low / two32);
  return putInt32(to, putInt32(to, at, day * 20 + carry), low - carry * two32);
}

/** TIME outside of a day as an interval of time alone. `start`: its sign, four bytes of days, its clock; or nothing. */
export function writeInterval(from: Uint8Array, start: number, size: number, to: Uint8Array, at: number): number {
  const sign = size > 0 && from[start] !== 0 ? -1 : 1;
  const days = size < 5 ? 0 : readUInt32(from, start + 1);
  const o = putMicroseconds(sign * days, sign * readClock(from, start + 5, size - 5), to, putInt32(to, at, 16));
  // Days and months.
  return putInt32(to, putInt32(to, o, 0), 0);
}

/** `01234567-89ab-…`. */
export function writeUuid(from: Uint8Array, start: number, size: number, to: Uint8Array, at: number): number {
  let o = putInt32(to, at, 16);
  let high = -1;
  for (let p = start, end = start + size; p < end; p++) {
    const byte = from[p] as number;
    if (byte === minus) continue;
    const nibble = byte <= 0x39 ? byte - zero : (byte | 0x20) - 0x57;
    if (nibble < 0 || nibble > 15) throw new ProtocolError("a uuid holds what is no digit");
    if (high < 0) high = nibble;
    else {
      to[o++] = high * 16 + nibble;
      high = -1;
    }
  }
  if (o !== at + 20 || high >= 0) throw new ProtocolError("a uuid has not the length of one");
  return o;
}

/** BIT(bits): the source's stand at the right, the target's at the left. */
export function writeBits(
  from: Uint8Array,
  start: number,
  size: number,
  bits: number,
  to: Uint8Array,
  at: number,
): number {
  const length = (bits + 7) >> 3;
  const shift = length * 8 - bits;
  let o = putInt32(to, putInt32(to, at, 4 + length), bits);
  for (let byte = length; byte > 0; byte--) {
    // Counted from the right; the source may leave out bytes at the left.
    const here = byte <= size ? (from[start + size - byte] as number) : 0;
    const next = byte > 1 && byte - 1 <= size ? (from[start + size - byte + 1] as number) : 0;
    to[o++] = (here << shift) | (next >>> (8 - shift));
  }
  return o;
}

const comma = 0x2c;
const oidOfText = 25;

/** `a,b` as an array of text. Source: PostgreSQL, src/backend/utils/adt/arrayfuncs.c, array_recv. */
export function writeSet(from: Buffer, start: number, size: number, to: Buffer, at: number): number {
  // Dimensions, no NULL among the elements, their type; then how many there are, from 1 on.
  let o = putInt32(to, at + 4, size === 0 ? 0 : 1);
  o = putInt32(to, putInt32(to, o, 0), oidOfText);
  let labels = 0;
  if (size > 0) {
    const countAt = o;
    o = putInt32(to, o + 4, 1);
    for (let p = start, end = start + size; p <= end; labels++) {
      let next = p;
      while (next < end && from[next] !== comma) next++;
      o = writeBytes(from, p, next - p, to, o);
      p = next + 1;
    }
    putInt32(to, countAt, labels);
  }
  putInt32(to, at, o - at - 4);
  return o;
}
