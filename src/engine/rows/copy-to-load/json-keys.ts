/**
 * Looks for a key that an object of a JSON text has twice: MySQL's JSON keeps the last of their values alone.
 */
interface KeyScan {
  /** Bytes of the document as COPY's and LOAD DATA's texts write them, with two bytes for a backslash; any may be the last of a piece. */
  feed(bytes: Uint8Array, start: number, end: number): void;
  /** Whether there was one; the next document follows. */
  finish(): boolean;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** MySQL refuses a longer key. */
const longestKey = 65_535;
const usualKey = 256;
/** Keys of objects that are open at once, for whose texts there is memory; a document that has more counts as one with a doubled key. */
const mostKeys = 500_000;
/** So many are looked through one after the other. */
const few = 8;

/** Whether a document may have such a key: false for numbers, texts and lists of them. */
export function hasObject(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (bytes[p] === openObject) return true;
  return false;
}

export function createKeyScan(): KeyScan {
  let key = Buffer.alloc(usualKey);
  let length = 0;
  /** Keys of each open object; undefined for a list. */
  const open: (string[] | Set<string> | undefined)[] = [];
  let held = 0;
  let doubled = false;
  let quoted = false;
  let isKey = false;
  /** A text that begins now is a key. */
  let keyNext = false;
  /** After a backslash of COPY's text, and after one of the document's own. */
  let escaped = false;
  let escapedInside = false;
  let hasEscape = false;

  const endKey = () => {
    const keys = open.at(-1);
    if (keys === undefined || length > longestKey) return;
    const text = hasEscape ? unescaped(key.toString("utf8", 0, length)) : key.toString("latin1", 0, length);
    if (Array.isArray(keys)) {
      if (keys.includes(text)) doubled = true;
      else if (keys.length < few) keys.push(text);
      else open[open.length - 1] = new Set(keys).add(text);
    } else if (keys.has(text)) doubled = true;
    else keys.add(text);
    if (++held > mostKeys) doubled = true;
  };

  const put = (byte: number) => {
    if (length === key.length && length < longestKey) key = Buffer.concat([key], Math.min(longestKey, length * 4));
    if (length < key.length) key[length] = byte;
    length++;
  };

  /** A byte of a text; answers whether the text ends with it. */
  const ofText = (byte: number): boolean => {
    if (byte === backslash && !escaped) {
      escaped = true;
      return false;
    }
    if (escaped) {
      // Two bytes are one backslash of the document, which makes of the next character another one.
      escaped = false;
      escapedInside = !escapedInside;
      hasEscape = true;
    } else if (escapedInside) escapedInside = false;
    else if (byte === quote) return true;
    if (isKey) put(byte);
    return false;
  };

  const close = () => {
    const keys = open.pop();
    held -= Array.isArray(keys) ? keys.length : (keys?.size ?? 0);
    keyNext = false;
  };

  const outside = (byte: number) => {
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) {
      quoted = true;
      isKey = keyNext;
      length = 0;
      hasEscape = false;
    } else if (byte === openObject) {
      open.push([]);
      keyNext = true;
    } else if (byte === openList) {
      open.push(undefined);
      keyNext = false;
    } else if (byte === closeObject || byte === closeList) close();
    else if (byte === comma) keyNext = open.at(-1) !== undefined;
    else if (byte === colon) keyNext = false;
  };

  return {
    feed(bytes, start, end) {
      for (let p = start; p < end && !doubled; p++) {
        const byte = bytes[p] as number;
        if (!quoted) outside(byte);
        else if (ofText(byte)) {
          quoted = false;
          if (isKey) endKey();
        }
      }
    },
    finish() {
      const found = doubled;
      open.length = held = 0;
      doubled = quoted = isKey = keyNext = escaped = escapedInside = false;
      return found;
    },
  };
}

/** As the bytes of a key without an escape are kept. */
function unescaped(text: string): string {
  try {
    return Buffer.from(String(JSON.parse(`"${text}"`))).toString("latin1");
  } catch {
    return text;
  }
}
