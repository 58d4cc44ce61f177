import { createNumberScan, mayLoseDigits } from "../json-numbers.ts";
import { type CopyToLoadField, type CopyToLoadFindings, kind } from "./fields.ts";
import { createKeyScan, hasObject } from "./json-keys.ts";
import { createShapeTurn } from "./shape-turn.ts";

/** What is done to a field once its bytes stand in the block: checked, shortened, or turned into others, in place. */

const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** Ends the field to[start..end) and answers where it ends now. It never grows, but bits may by a byte. */
export type End = (to: Uint8Array, start: number, end: number) => number;

/** Undefined for kinds that need none. */
export function endOf(field: CopyToLoadField, found: CopyToLoadFindings): End | undefined {
  const lose = (to: Uint8Array, start: number): number => {
    found.lost++;
    if (!field.nullable) found.broken ??= "null";
    to[start] = backslash;
    to[start + 1] = 0x4e;
    return start + 2;
  };
  switch (field.kind) {
    case kind.text:
      return field.doubles ? documentEnd(found, field.doubles === "exponents") : undefined;
    case kind.boolean:
      return (to, start, end) => {
        if (to[start] !== backslash) to[start] = to[start] === 0x74 ? 0x31 : 0x30;
        return end;
      };
    case kind.date:
      return (to, start, end) => {
        const first = to[start] as number;
        if (first === backslash) return end;
        // Four digits of the year; BC stands at the end.
        if (first < zero || first > nine || to[start + 4] !== minus || to[end - 1] === 0x43) return lose(to, start);
        return to[end - 3] === 0x2b ? end - 3 : end;
      };
    case kind.float:
      return (to, start, end) => {
        if (!isNumber(to, start)) return lose(to, start);
        if (field.unsignedZero && end - start === 2 && to[start] === minus && to[start + 1] === zero) found.zeros++;
        return end;
      };
    case kind.numeric:
      return (to, start, end) => {
        if (!isNumber(to, start)) return lose(to, start);
        const { limit = 65, scale = 30 } = field;
        if (end - start > Math.min(limit, scale) && isTooLong(to, start, end, limit, scale)) found.broken ??= "long";
        return end;
      };
    case kind.limited: {
      const limit = field.limit ?? 0;
      return (to, start, end) => {
        if (end - start > limit && charactersIn(to, start, end) > limit) found.broken ??= "long";
        return end;
      };
    }
    case kind.bytes: {
      const limit = field.limit ?? Number.POSITIVE_INFINITY;
      return (to, start, end) => {
        if ((end - start - 3) / 2 > limit) found.broken ??= "long";
        return unhex(to, start, end);
      };
    }
    case kind.bits:
      return bitsEnd;
    case kind.shape:
      return shapeEnd(field, found);
    default:
      return undefined;
  }
}

function documentEnd(found: CopyToLoadFindings, exponents: boolean): End {
  const scan = createNumberScan("written");
  const keys = exponents ? createKeyScan() : undefined;
  return (to, start, end) => {
    if (keys !== undefined && hasObject(to, start, end)) {
      keys.feed(to, start, end);
      if (keys.finish()) found.doubled++;
    }
    if (!mayLoseDigits(to, start, end, exponents)) return end;
    scan.feed(to, start, end);
    if (scan.finish()) found.rounded++;
    return end;
  };
}

/** NULL counts as one. */
const isNumber = (to: Uint8Array, start: number): boolean => {
  const first = to[start] as number;
  if (first === minus) {
    const next = to[start + 1] as number;
    return next >= zero && next <= nine;
  }
  return (first >= zero && first <= nine) || first === backslash;
};

function isTooLong(to: Uint8Array, start: number, end: number, limit: number, scale: number): boolean {
  let p = to[start] === minus ? start + 1 : start;
  const digits = p;
  while (p < end && to[p] !== point) p++;
  const before = p - digits;
  // The zero before a point is no digit.
  if (before > limit && !(before === 1 && to[digits] === zero)) return true;
  return p < end && end - p - 1 > scale;
}

function charactersIn(to: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let p = start; p < end; p++) {
    const byte = to[p] as number;
    if ((byte & 0xc0) === 0x80) continue;
    count++;
    if (byte === backslash) p++;
  }
  return count;
}

const hexValue = new Uint8Array(256);
for (let digit = 0; digit < 16; digit++) {
  hexValue["0123456789abcdef".charCodeAt(digit)] = digit;
  hexValue["0123456789ABCDEF".charCodeAt(digit)] = digit;
}
/** The letter that stands for a byte after a backslash, or 0. */
const escapes = new Uint8Array(256);
escapes[0x00] = 0x30;
escapes[0x09] = 0x74;
escapes[0x0a] = 0x6e;
escapes[backslash] = backslash;

export function putByte(to: Uint8Array, at: number, byte: number): number {
  const letter = escapes[byte] as number;
  if (letter === 0) {
    to[at] = byte;
    return at + 1;
  }
  to[at] = backslash;
  to[at + 1] = letter;
  return at + 2;
}

export const hexDigit = (byte: number): number => hexValue[byte] as number;

/** `\\x` and two digits a byte; each becomes one byte or two, so the writing never overtakes the reading. */
function unhex(to: Uint8Array, start: number, end: number): number {
  if (end - start === 2 && to[start + 1] === 0x4e) return end;
  let at = start;
  for (let p = start + 3; p < end; p += 2) {
    const byte = ((hexValue[to[p] as number] as number) << 4) | (hexValue[to[p + 1] as number] as number);
    const letter = escapes[byte] as number;
    if (letter === 0) to[at++] = byte;
    else {
      to[at++] = backslash;
      to[at++] = letter;
    }
  }
  return at;
}

/** What is written is at most as long as the digits that were read before. */
function shapeEnd({ srids }: CopyToLoadField, found: CopyToLoadFindings): End {
  const piece = new Uint8Array(512);
  let block: Uint8Array = piece;
  let at = 0;
  const turn = createShapeTurn(srids, (bytes, length) => {
    for (let index = 0; index < length; index++) at = putByte(block, at, bytes[index] as number);
  });
  return (to, start, end) => {
    if (end - start === 2 && to[start + 1] === 0x4e) return end;
    block = to;
    at = start;
    turn.start(0);
    for (let p = start + 3; p < end; ) {
      let length = 0;
      for (; length < piece.length && p < end; p += 2)
        piece[length++] = (hexDigit(to[p] as number) << 4) | hexDigit(to[p + 1] as number);
      turn.feed(piece, 0, length);
    }
    if (turn.finish() !== undefined) found.broken ??= "long";
    return at;
  };
}

const bitBytes = new Uint8Array(8);

function bitsEnd(to: Uint8Array, start: number, end: number): number {
  if (to[start] === backslash) return end;
  const count = (end - start + 7) >> 3;
  bitBytes.fill(0);
  for (let p = start, bit = end - start - 1; p < end; p++, bit--) {
    if (to[p] === 0x31)
      bitBytes[count - 1 - (bit >> 3)] = (bitBytes[count - 1 - (bit >> 3)] as number) | (1 << (bit & 7));
  }
  let at = start;
  for (let index = 0; index < count; index++) at = putByte(to, at, bitBytes[index] as number);
  return at;
}
