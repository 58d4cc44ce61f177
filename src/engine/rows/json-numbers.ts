import { canonicalNumber } from "./canonical-json.ts";

/**
 * Looks for numbers in a JSON text that a double does not keep, as MySQL's JSON stores those that are no integer of 64 bits, and
 * for -0, which is an integer there and becomes 0.
 */
interface NumberScan {
  /** Bytes of the document; any may be the last of a piece. */
  feed(bytes: Uint8Array, start: number, end: number): void;
  /** Whether there was one; the next document follows. */
  finish(): boolean;
}

const quote = 0x22;
const plus = 0x2b;
const minus = 0x2d;
const backslash = 0x5c;
const zero = 0x30;

/** A double keeps every number of so many characters without an exponent. */
const keptLength = 15;
/** The largest double has 309 digits, and the smallest fewer than 1,100. */
const mostBytes = 1100;

/** Bytes of a number: 1 for digits and the point, 2 for what stands in an exponent or before a number. */
const ofNumber = new Uint8Array(256);
for (const letter of "0123456789.") ofNumber[letter.charCodeAt(0)] = 1;
for (const letter of "eE+-") ofNumber[letter.charCodeAt(0)] = 2;

/** Whether a document may have such a number: cheap, and mostly false. `exponents`: it may be written with one. */
export function mayLoseDigits(bytes: Uint8Array, start: number, end: number, exponents: boolean): boolean {
  // So many bytes of a number, one after another, have one of these places.
  for (let p = start + keptLength; p < end; p += keptLength + 1) {
    if (ofNumber[bytes[p] as number] === 0) continue;
    let first = p;
    while (first > start && ofNumber[bytes[first - 1] as number] !== 0) first--;
    let after = p + 1;
    while (after < end && ofNumber[bytes[after] as number] !== 0) after++;
    if (after - first > keptLength) return true;
  }
  if (!exponents) return false;
  for (let p = start + 1; p < end; p++) {
    const byte = bytes[p] as number;
    if ((byte | 0x20) === 0x65 && ofNumber[bytes[p - 1] as number] === 1) return true;
    if (byte === zero && bytes[p - 1] === minus && (p + 1 === end || ofNumber[bytes[p + 1] as number] === 0))
      return true;
  }
  return false;
}

/** `written`: COPY's and LOAD DATA's texts have two bytes for a backslash, `plain` is the document itself. */
export function createNumberScan(as: "written" | "plain"): NumberScan {
  const number = Buffer.alloc(mostBytes);
  let length = 0;
  let hasExponent = false;
  let lost = false;
  let quoted = false;
  /** After a backslash of COPY's text, and after one of the document's own. */
  let escaped = false;
  let escapedInside = false;

  const endNumber = () => {
    if (length > mostBytes || (length === 2 && number[0] === minus && number[1] === zero)) lost = true;
    else if (!lost && (length > keptLength || hasExponent)) {
      const text = number.toString("latin1", 0, length);
      lost = canonicalNumber(text, true) !== canonicalNumber(text, false);
    }
    length = 0;
    hasExponent = false;
  };

  /** Answers where the text ends, or the piece. */
  const skipText = (bytes: Uint8Array, start: number, end: number): number => {
    let p = start;
    while (p < end) {
      const byte = bytes[p++] as number;
      if (byte === backslash && as === "plain") escapedInside = !escapedInside;
      else if (byte === backslash && !escaped) escaped = true;
      else if (escaped || escapedInside) {
        // Two bytes are one backslash of the document, which makes of the next character a plain one.
        escapedInside = escaped && !escapedInside;
        escaped = false;
      } else if (byte === quote) {
        quoted = false;
        return p;
      }
    }
    return p;
  };

  return {
    feed(bytes, start, end) {
      let p = start;
      while (p < end) {
        if (quoted) {
          p = skipText(bytes, p, end);
          continue;
        }
        const byte = bytes[p++] as number;
        const sort = ofNumber[byte] as number;
        // The letter stands in words as well.
        const exponent = length > 0 && (byte | 0x20) === 0x65;
        if (sort === 1 || exponent || byte === minus || byte === plus) {
          if (length < mostBytes) number[length] = byte;
          length = Math.min(length, mostBytes) + 1;
          hasExponent ||= exponent;
          continue;
        }
        if (length > 0) endNumber();
        if (byte === quote) quoted = true;
      }
    },
    finish() {
      if (length > 0) endNumber();
      const found = lost;
      lost = quoted = escaped = escapedInside = false;
      return found;
    },
  };
}
