import { isEnd } from "../../mysql/driver/result.ts";
import type { RowSink } from "../../mysql/driver/session.ts";
import { packetHeader } from "../../mysql/driver/wire.ts";
import type { LongRow } from "../framing.ts";
import { type Blocks, blockBytes, blockStart } from "./blocks.ts";
import type { Findings } from "./fields.ts";
import type { RowOutput } from "./long-row.ts";

/**
 * Row packets → COPY's bytes in blocks, by a format that knows one row: no object for a row or a field. A row that might
 * not fit into a block is streamed by the format's long row.
 */
export interface RowEncoder extends RowSink {
  /** Rows written so far. */
  readonly rows: number;
  /** Bytes of row packets read so far. */
  readonly bytes: number;
  /** One for each column, live. */
  readonly findings: readonly Findings[];
  /** A guess is broken: what comes is read and thrown away. */
  readonly broken: boolean;
  /** The format cannot write a row that came: what comes is read and thrown away. */
  readonly gaveUp: boolean;
  /** Throws away what comes. */
  discard(): void;
  readonly discarded: boolean;
  /** Sends what is left in the block and gives the block back. Last call. */
  finish(): void;
}

export interface RowFormat {
  /** One for each column, live. */
  findings: readonly Findings[];
  /** Bytes written for a byte read, and for a row beside these, at most. */
  widest: number;
  extra: number;
  /** What stands before the first row and after the last. */
  header: Uint8Array;
  trailer: Uint8Array;
  /** The payload from[start..rowEnd) to to[at..], which has room for it; where it ended. */
  encode(from: Buffer, start: number, rowEnd: number, to: Buffer, at: number): number;
  /** The last row broke a guess. */
  broke(): boolean;
  long(out: LongOutput): LongRow;
}

export interface LongOutput extends RowOutput {
  /** The row cannot be written in this format. */
  giveUp(): void;
}

export function createEncoder(format: RowFormat, out: Blocks): RowEncoder {
  const { findings, widest, extra, header, trailer } = format;
  const fits = Math.floor((blockBytes - blockStart - extra) / widest);
  let block = out.first();
  block.set(header, blockStart);
  let o = blockStart + header.length;
  let rows = 0;
  let bytes = 0;
  let ended = false;
  let discarding = false;
  let isBroken = false;
  let gaveUp = false;

  const flush = () => {
    block = out.flush(block, o);
    o = blockStart;
  };

  const long = format.long({
    block: () => block,
    at: () => o,
    move(at) {
      o = at;
    },
    flush,
    giveUp() {
      gaveUp = discarding = true;
    },
  });

  const lookForBroken = () => {
    if (findings.some(({ broken }) => broken !== undefined)) isBroken = discarding = true;
  };

  const takeLong = (from: Buffer, start: number, end: number): number => {
    const at = long.take(from, start, end, discarding);
    if (!long.active) {
      if (!discarding) rows++;
      bytes += long.bytes;
    }
    return at;
  };

  const take = (from: Buffer, start: number, end: number): number => {
    let p = start;
    while (end - p >= packetHeader) {
      if (long.active) {
        p = takeLong(from, p, end);
        if (long.active) return p;
        continue;
      }
      const length = (from[p] as number) | ((from[p + 1] as number) << 8) | ((from[p + 2] as number) << 16);
      if (length > fits) {
        long.start();
        continue;
      }
      if (end - p < packetHeader + length) break;
      p += packetHeader;
      if (isEnd(from[p], length)) {
        ended = true;
        p -= packetHeader;
        break;
      }
      bytes += length;
      if (!discarding) {
        if (o + length * widest + extra > blockBytes) flush();
        o = format.encode(from, p, p + length, block, o);
        rows++;
        isBroken = discarding = format.broke();
      }
      p += length;
    }
    lookForBroken();
    return p;
  };

  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
    get ended() {
      return ended;
    },
    get broken() {
      return isBroken;
    },
    get gaveUp() {
      return gaveUp;
    },
    findings,
    discard() {
      discarding = true;
    },
    get discarded() {
      return discarding;
    },
    room: () => out.room(),
    take,
    finish() {
      if (o + trailer.length > blockBytes) flush();
      block.set(trailer, o);
      o += trailer.length;
      if (o > blockStart) flush();
      out.spare(block);
    },
  };
}
