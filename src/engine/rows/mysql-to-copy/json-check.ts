import { createJsonGrammar } from "./json-grammar.ts";

/**
 * Looks at a JSON document as its bytes pass for what `jsonb` would refuse or change without a word: \u0000, lone
 * surrogates, doubled keys, minus zero, huge exponents, raw control characters. The grammar is checked where asked for.
 */
export interface JsonCheck {
  /** `grammar`: the document may be none, as MariaDB's or a text's; `json`: only that counts, since all else suits `json`. */
  start(field?: JsonField): void;
  feed(buffer: Uint8Array, start: number, end: number): void;
  /** Words for what was found, or undefined. Call after the last byte. */
  finish(): string | undefined;
}

type JsonField = { grammar?: true | "text"; json?: true };

/** The trouble that no type but text can take. */
export const noJson = "a document that MariaDB takes for JSON and PostgreSQL does not";

const noDocument = "a text that is no JSON";

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const decoder = new TextDecoder();

interface Level {
  /** Keys so far; undefined in an array. */
  keys: Set<string> | undefined;
  atKey: boolean;
}

export function createJsonCheck(): JsonCheck {
  const grammar = createJsonGrammar();
  let wanted: JsonField = {};
  let trouble: string | undefined;
  let inString = false;
  let isKey = false;
  let escaping = 0;
  let unit = 0;
  let high = false;
  let levels: Level[] = [];
  let key = new Uint8Array(64);
  let keyLength = 0;
  let keyEscaped = false;
  let number = "";

  const found = (words: string) => {
    trouble ??= words;
  };

  const keep = (byte: number) => {
    if (keyLength === key.length) {
      const larger = new Uint8Array(key.length * 2);
      larger.set(key);
      key = larger;
    }
    key[keyLength++] = byte;
  };

  const endKey = () => {
    const level = levels[levels.length - 1];
    if (level?.keys === undefined) return;
    const raw = decoder.decode(key.subarray(0, keyLength));
    const text = keyEscaped ? decoded(raw) : raw;
    if (level.keys.has(text)) found("a key that is there twice");
    level.keys.add(text);
  };

  const endNumber = () => {
    if (/^-0+(\.0*)?([eE].*)?$/.test(number)) found("minus zero");
    if (/[eE][-+]?\d{4,}/.test(number)) found("a number with a huge exponent");
    number = "";
  };

  const hexDigit = (byte: number) => {
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
    unit = unit * 16 + digit;
    if (++escaping < 6) return;
    escaping = 0;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== isLow) found("half a surrogate pair");
    high = unit >= 0xd800 && unit <= 0xdbff;
    if (unit === 0) found("\\u0000");
  };

  const inside = (byte: number) => {
    if (escaping === 1) {
      if (byte === 0x75) {
        escaping = 2;
        unit = 0;
        return;
      }
      escaping = 0;
      if (high) found("half a surrogate pair");
      high = false;
      return;
    }
    if (escaping > 1) return hexDigit(byte);
    if (byte === backslash) {
      escaping = 1;
      return;
    }
    if (high) found("half a surrogate pair");
    high = false;
    if (byte < 0x20) found("a control character in a string");
    if (byte === quote) {
      inString = false;
      if (isKey) endKey();
    }
  };

  const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
  const isOfNumber = (byte: number) =>
    isDigit(byte) || byte === minus || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;

  /** Whether the byte belongs to a number; one that just ended is judged. */
  const inNumber = (byte: number): boolean => {
    if (number === "" && byte !== minus && !isDigit(byte)) return false;
    if (!isOfNumber(byte)) {
      endNumber();
      return false;
    }
    if (number.length < 4096) number += String.fromCharCode(byte);
    return true;
  };

  const outside = (byte: number) => {
    if (inNumber(byte)) return;
    const level = levels[levels.length - 1];
    if (byte === quote) {
      inString = true;
      isKey = level?.atKey === true;
      keyLength = 0;
      keyEscaped = false;
    } else if (byte === 0x7b) levels.push({ keys: new Set(), atKey: true });
    else if (byte === 0x5b) levels.push({ keys: undefined, atKey: false });
    else if (byte === 0x7d || byte === 0x5d) levels.pop();
    else if (byte === 0x3a && level) level.atKey = false;
    else if (byte === 0x2c && level) level.atKey = level.keys !== undefined;
  };

  return {
    start(field = {}) {
      wanted = field;
      if (wanted.grammar) grammar.start();
      trouble = undefined;
      inString = isKey = high = keyEscaped = false;
      escaping = keyLength = 0;
      levels = [];
      number = "";
    },
    feed(buffer, start, end) {
      if (wanted.grammar) grammar.feed(buffer, start, end);
      if (wanted.json) return;
      for (let at = start; at < end; at++) {
        const byte = buffer[at] as number;
        if (!inString) outside(byte);
        else {
          if (isKey && !(byte === quote && escaping === 0)) {
            keep(byte);
            keyEscaped ||= byte === backslash;
          }
          inside(byte);
        }
      }
    },
    finish() {
      if (wanted.grammar && !grammar.valid()) return wanted.grammar === "text" ? noDocument : noJson;
      if (number !== "") endNumber();
      return trouble;
    },
  };
}

function decoded(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
