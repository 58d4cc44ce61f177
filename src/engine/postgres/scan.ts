/**
 * Finds the CopyData messages in a server's byte stream without making an object for any of them: runs of whole or
 * partial CopyData messages are told as ranges to forward, all else (CopyOutResponse, notices, CopyDone, errors) as
 * ranges for the driver. Messages may be split anywhere between calls.
 */
export interface Scanner {
  /** Scans bytes[from, to). Ranges are told in order and cover it. */
  scan(bytes: Uint8Array, from: number, to: number): void;
  /** CopyData messages begun so far; in text format that is rows. */
  readonly messages: number;
  /** The stream has left COPY: every byte from here on is the driver's. */
  readonly over: boolean;
  /** At the border between two messages, where the target's COPY may be ended. */
  readonly whole: boolean;
}

export interface Ranges {
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

  const scan = (bytes: Uint8Array, from: number, to: number): void => {
    let at = from;
    let start = from;
    while (at < to) {
      if (over) {
        if (start < at) forward(start, at);
        return foreign(at, to);
      }
      if (left > 0) {
        const step = Math.min(left, to - at);
        at += step;
        left -= step;
        if (left === 0 && type !== copyData) {
          foreign(start, at);
          start = at;
          if (type === copyDone || type === errorResponse) over = true;
        }
        continue;
      }
      if (headerSeen === 0 && to - at >= 5 && bytes[at] === copyData) {
        // The hot path: one round a row.
        messages++;
        type = copyData;
        left =
          (((bytes[at + 1] as number) << 24) |
            ((bytes[at + 2] as number) << 16) |
            ((bytes[at + 3] as number) << 8) |
            (bytes[at + 4] as number)) -
          4;
        at += 5;
        const end = at + left;
        if (end <= to) {
          at = end;
          left = 0;
        }
        continue;
      }
      const byte = bytes[at] as number;
      if (headerSeen === 0) {
        if (byte === copyData) messages++;
        else if (start < at) {
          forward(start, at);
          start = at;
        }
        type = byte;
        length = 0;
      } else length = length * 256 + byte;
      at++;
      headerSeen++;
      if (headerSeen === 5) {
        headerSeen = 0;
        left = length - 4;
        if (left === 0 && type !== copyData) {
          foreign(start, at);
          start = at;
          if (type === copyDone || type === errorResponse) over = true;
        }
      }
    }
    if (start < to) (type === copyData && !over ? forward : foreign)(start, to);
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
