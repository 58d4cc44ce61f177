import { EngineError } from "../contract/index.ts";

/**
 * Finds the CopyData messages in a server's byte stream without making an object for any of them: runs of whole or
 * partial CopyData messages are told as ranges to forward, all else (CopyOutResponse, notices, CopyDone, errors) as
 * ranges for the driver. Messages may be split anywhere between calls.
 */
interface Scanner {
  /** Scans bytes[from, to). Ranges are told in order and cover it. Errors: `protocol_error`. */
  scan(bytes: Uint8Array, from: number, to: number): void;
  /** CopyData messages begun so far; in text format that is rows. */
  readonly messages: number;
  /** The stream has left COPY: every byte from here on is the driver's. */
  readonly over: boolean;
  /** At the border between two messages, where the target's COPY may be ended. */
  readonly whole: boolean;
}

interface Ranges {
  forward(from: number, to: number): void;
  foreign(from: number, to: number): void;
}

const copyData = 0x64;
const copyDone = 0x63;
const errorResponse = 0x45;

export function createScanner({ forward, foreign }: Ranges): Scanner {
  let messages = 0;
  let over = false;
  /** Bytes of the present message that are still to come, header excluded. */
  let left = 0;
  /** Bytes of the present header seen so far, when it is split between calls; 0 at a border or within a body. */
  let headerSeen = 0;
  let length = 0;
  let type = copyData;
  /** Where in the present call the range begins that is not told yet. */
  let start = 0;

  const endOfForeign = (at: number): void => {
    foreign(start, at);
    start = at;
    over = type === copyDone || type === errorResponse;
  };

  /** The hot path, one round a row: a CopyData message whose header is there. */
  const row = (bytes: Uint8Array, at: number, to: number): number => {
    messages++;
    type = copyData;
    left = bodyOf(word(bytes, at + 1));
    const end = at + 5 + left;
    if (end > to) return at + 5;
    left = 0;
    return end;
  };

  const body = (at: number, to: number): number => {
    const step = Math.min(left, to - at);
    left -= step;
    if (left === 0 && type !== copyData) endOfForeign(at + step);
    return at + step;
  };

  const header = (bytes: Uint8Array, at: number): number => {
    const byte = bytes[at] as number;
    if (headerSeen > 0) length = length * 256 + byte;
    else {
      if (byte === copyData) messages++;
      else if (start < at) {
        forward(start, at);
        start = at;
      }
      type = byte;
      length = 0;
    }
    if (++headerSeen < 5) return at + 1;
    headerSeen = 0;
    left = bodyOf(length);
    if (left === 0 && type !== copyData) endOfForeign(at + 1);
    return at + 1;
  };

  const scan = (bytes: Uint8Array, from: number, to: number): void => {
    start = from;
    let at = from;
    while (at < to && !over) {
      if (left > 0) at = body(at, to);
      else if (headerSeen === 0 && to - at >= 5 && bytes[at] === copyData) at = row(bytes, at, to);
      else at = header(bytes, at);
    }
    if (start >= to) return;
    if (over || type !== copyData) foreign(start, to);
    else forward(start, to);
  };

  return {
    scan,
    get messages() {
      return messages;
    },
    get over() {
      return over;
    },
    get whole() {
      return left === 0 && headerSeen === 0;
    },
  };
}

/** A length counts itself, and is no negative number. Another one would be read otherwise by the target, which gets it is. */
function bodyOf(length: number): number {
  if (length < 4 || length > 0x7fffffff)
    throw new EngineError("protocol_error", "the source sends a message of a length that none has");
  return length - 4;
}

const word = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);
