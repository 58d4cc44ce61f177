import type { RowSink } from "../../mysql/driver/session.ts";
import { type Blocks, blockBytes } from "../../run/memory/block-pool.ts";
import { createRowReader, type LongPacketRow } from "../framing.ts";
import type { RowEncoding, RowOutput } from "../row-output.ts";
import { blockStart } from "./blocks.ts";
import type { MysqlToCopyFindings } from "./fields.ts";

/**
 * Row packets → COPY's bytes in blocks, by a format that knows one row: no object for a row or a field. A row that might
 * not fit into a block is streamed by the format's long row.
 */
export interface MysqlToCopyEncoder extends RowSink, RowEncoding<MysqlToCopyFindings> {
  /** The format cannot write a row that came: what comes is read and thrown away. */
  readonly gaveUp: boolean;
}

interface CopyRowFormat {
  /** One for each column, live. */
  findings: readonly MysqlToCopyFindings[];
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
  long(out: LongOutput): LongPacketRow;
}

export interface LongOutput extends RowOutput {
  /** The row cannot be written in this format. */
  giveUp(): void;
}

export function createEncoder(format: CopyRowFormat, out: Blocks): MysqlToCopyEncoder {
  const { findings, widest, extra, header, trailer } = format;
  const fits = Math.floor((blockBytes - blockStart - extra) / widest);
  let block = out.first();
  block.set(header, blockStart);
  let o = blockStart + header.length;
  let rows = 0;
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

  const reader = createRowReader({
    fits,
    long,
    row(from, start, end) {
      if (discarding) return;
      if (o + (end - start) * widest + extra > blockBytes) flush();
      o = format.encode(from, start, end, block, o);
      rows++;
      isBroken = discarding = format.broke();
    },
    longEnded() {
      if (!discarding) rows++;
    },
    isDiscarding: () => discarding,
  });

  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return reader.bytes;
    },
    get ended() {
      return reader.ended;
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
    take(from, start, end) {
      const at = reader.take(from, start, end);
      if (!long.active) lookForBroken();
      return at;
    },
    finish() {
      if (o + trailer.length > blockBytes) flush();
      block.set(trailer, o);
      o += trailer.length;
      if (o > blockStart) flush();
      out.spare(block);
    },
  };
}
