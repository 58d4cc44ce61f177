import { ProtocolError } from "../mysql/errors.ts";
import { isEnd } from "../mysql/result.ts";
import type { RowSink } from "../mysql/session.ts";
import { packetHeader } from "../mysql/wire.ts";
import { type Blocks, blockBytes, blockStart } from "./blocks.ts";
import {
  copyBytes,
  isRealDate,
  type Writer,
  writeHex,
  writeHexStart,
  writeNoDate,
  writeNull,
  writerOf,
  writeText,
} from "./field-writers.ts";
import { type Field, type Findings, kind, noFindings } from "./fields.ts";
import { createLongRow } from "./long-row.ts";

/**
 * Row packets of the text protocol → COPY text, as bytes: one loop a row, no object for a row or a field.
 * A row that might not fit into a block is streamed by long-row.ts.
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
  /** Throws away what comes. */
  discard(): void;
  readonly discarded: boolean;
  /** Sends what is left in the block and gives the block back. Last call. */
  finish(): void;
}

/** Bytes written for a byte read, at most: what the widest kind among the columns may do. */
function widening(fields: readonly Field[]): number {
  if (fields.some((field) => field.kind === kind.bits)) return 8;
  return fields.some((field) => field.kind === kind.set) ? 4 : 2;
}

const tooLong = () => new ProtocolError("a field is longer than its row");

export function createRowEncoder(fields: readonly Field[], out: Blocks): RowEncoder {
  const columns = fields.length;
  const kinds = Uint8Array.from(fields, (field) => field.kind);
  const findings = fields.map(noFindings);
  const writers = fields.map((field, column) => writerOf(field, findings[column] as Findings));
  const widest = widening(fields);
  // A tab and `\\x` for a column, or the ten bytes of a date that stands for one of ten; a set's braces and quotes; a bit string's 64 for 9 are within `widest`.
  const extra = columns * 8 + 64;
  const fits = Math.floor((blockBytes - blockStart - extra) / widest);
  let block = out.first();
  let o = blockStart;
  let rows = 0;
  let bytes = 0;
  let ended = false;
  let discarding = false;
  let isBroken = false;

  const long = createLongRow(fields, findings, {
    block: () => block,
    at: () => o,
    move(at) {
      o = at;
    },
    flush() {
      block = out.flush(block, o);
      o = blockStart;
    },
  });

  const lookForBroken = () => {
    if (findings.some(({ broken }) => broken !== undefined)) isBroken = discarding = true;
  };

  const writeDate = (from: Buffer, start: number, size: number, to: Buffer, at: number, column: number): number => {
    if (isRealDate(from, start, size)) return copyBytes(from, start, size, to, at);
    return writeNoDate(fields[column] as Field, findings[column] as Findings, to, at);
  };

  const writeOther = (from: Buffer, start: number, size: number, to: Buffer, at: number, column: number): number => {
    const end = (writers[column] as Writer)(from, start, size, to, at);
    if ((findings[column] as Findings).broken !== undefined) isBroken = true;
    return end;
  };

  /** The payload from[start..rowEnd), for which the block has room. */
  const encode = (from: Buffer, start: number, rowEnd: number): void => {
    const to = block;
    let at = o;
    let p = start;
    for (let column = 0; column < columns; column++) {
      if (column > 0) to[at++] = 0x09;
      let size = from[p++] as number;
      if (size === 0xfb) {
        at = writeNull(to, at);
        continue;
      }
      if (size > 0xfb) {
        const bytes = size - 0xfa;
        // 0xfc: two bytes, 0xfd: three; a field with eight is longer than any row that comes here.
        if (bytes > 3) throw tooLong();
        size = from.readUIntLE(p, bytes);
        p += bytes;
      }
      if (p + size > rowEnd) throw tooLong();
      switch (kinds[column]) {
        case kind.raw:
          at = copyBytes(from, p, size, to, at);
          break;
        case kind.text:
          at = writeText(from, p, size, to, at, findings[column] as Findings);
          break;
        case kind.date:
          at = writeDate(from, p, size, to, at, column);
          break;
        case kind.bytea:
          at = writeHex(from, p, size, to, writeHexStart(to, at));
          break;
        default:
          at = writeOther(from, p, size, to, at, column);
      }
      p += size;
    }
    if (p !== rowEnd) throw new ProtocolError("a row is longer than its fields");
    to[at++] = 0x0a;
    o = at;
    rows++;
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
        if (o + length * widest + extra > blockBytes) {
          block = out.flush(block, o);
          o = blockStart;
        }
        encode(from, p, p + length);
        discarding = isBroken;
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
      if (o > blockStart) block = out.flush(block, o);
      out.spare(block);
    },
  };
}
