import { isEnd } from "../mysql/driver/result.ts";
import type { RowSink } from "../mysql/driver/session.ts";
import { fullPacket, packetHeader } from "../mysql/driver/wire.ts";

/** A row that comes in pieces, in one packet or several. */
export interface LongPacketRow {
  readonly active: boolean;
  /** Bytes of the row so far. */
  readonly bytes: number;
  start(): void;
  /** Takes what is there; `active` is false after the row's last byte. */
  take(from: Buffer, start: number, end: number, discarding: boolean): number;
}

/** What a format does with a row's bytes, without the packets' headers. */
interface Content {
  start(): void;
  payload(from: Buffer, start: number, end: number): void;
  finish(): void;
}

export function createFraming(content: Content): LongPacketRow {
  let active = false;
  let bytes = 0;
  /** What is left of the present packet. */
  let inPacket = 0;
  let goesOn = false;
  return {
    get active() {
      return active;
    },
    get bytes() {
      return bytes;
    },
    start() {
      active = goesOn = true;
      bytes = inPacket = 0;
      content.start();
    },
    take(from, start, end, discarding) {
      let p = start;
      for (;;) {
        if (inPacket === 0) {
          if (end - p < packetHeader) return p;
          inPacket = from.readUIntLE(p, 3);
          goesOn = inPacket === fullPacket;
          p += packetHeader;
        }
        const length = Math.min(inPacket, end - p);
        if (!discarding) content.payload(from, p, p + length);
        p += length;
        bytes += length;
        inPacket -= length;
        if (inPacket > 0) return p;
        if (!goesOn) {
          if (!discarding) content.finish();
          active = false;
          return p;
        }
      }
    },
  };
}

/** Reads the row packets of a result: short rows where they lie in the input, long ones piece by piece. */
interface RowReader extends Pick<RowSink, "take" | "ended"> {
  /** Bytes of row packets read so far. */
  readonly bytes: number;
}

interface Rows {
  /** The longest row that is read at once; a fraction of the session's input. */
  fits: number;
  /** The payload from[start..end) of such a row. */
  row(from: Buffer, start: number, end: number): void;
  long: LongPacketRow;
  /** After a long row. */
  longEnded?(): void;
  /** What comes is read and thrown away. */
  isDiscarding?(): boolean;
}

export function createRowReader({ fits, row, long, longEnded, isDiscarding }: Rows): RowReader {
  let ended = false;
  let bytes = 0;
  return {
    get ended() {
      return ended;
    },
    get bytes() {
      return long.active ? bytes + long.bytes : bytes;
    },
    take(from, start, end) {
      let p = start;
      for (;;) {
        if (long.active) {
          p = long.take(from, p, end, isDiscarding?.() === true);
          if (long.active) return p;
          bytes += long.bytes;
          longEnded?.();
        }
        if (end - p < packetHeader) return p;
        const length = (from[p] as number) | ((from[p + 1] as number) << 8) | ((from[p + 2] as number) << 16);
        if (length > fits) {
          long.start();
          continue;
        }
        const at = p + packetHeader;
        if (end - at < length) return p;
        if (isEnd(from[at], length)) {
          ended = true;
          return p;
        }
        bytes += length;
        p = at + length;
        row(from, at, p);
      }
    },
  };
}
