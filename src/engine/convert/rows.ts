import { ProtocolError } from "../mysql/errors.ts";
import { isEnd } from "../mysql/result.ts";
import type { RowSink } from "../mysql/session.ts";
import { packetHeader } from "../mysql/wire.ts";
import { type Blocks, blockBytes, blockStart } from "./blocks.ts";
import { escapes, isRealDate, writeHex, writeHexStart, writerOf } from "./field-writers.ts";
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

export function createRowEncoder(fields: readonly Field[], out: Blocks): RowEncoder {
  const columns = fields.length;
  const kinds = Uint8Array.from(fields, (field) => field.kind);
  const nullable = fields.map((field) => field.nullable);
  const findings = fields.map(noFindings);
  const writers = fields.map((field, column) => writerOf(field, findings[column] as Findings));
  const widest = widening(fields);
  // A tab and `\\x` for a column; a set's braces and quotes; a bit string's 64 for 9 are within `widest`.
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

  const take = (from: Buffer, start: number, end: number): number => {
    let p = start;
    while (end - p >= packetHeader) {
      if (long.active) {
        p = long.take(from, p, end, discarding);
        if (long.active) return p;
        rows++;
        bytes += long.bytes;
        lookForBroken();
        continue;
      }
      const length = (from[p] as number) | ((from[p + 1] as number) << 8) | ((from[p + 2] as number) << 16);
      if (length > fits) {
        long.start();
        continue;
      }
      if (end - p < packetHeader + length) break;
      if (isEnd(from[p + packetHeader], length)) {
        ended = true;
        break;
      }
      p += packetHeader;
      const rowEnd = p + length;
      bytes += length;
      if (discarding) {
        p = rowEnd;
        continue;
      }
      if (o + length * widest + extra > blockBytes) {
        block = out.flush(block, o);
        o = blockStart;
      }
      const to = block;
      for (let column = 0; column < columns; column++) {
        if (column > 0) to[o++] = 0x09;
        let size = from[p++] as number;
        if (size >= 0xfb) {
          if (size === 0xfb) {
            to[o++] = 0x5c;
            to[o++] = 0x4e;
            continue;
          }
          if (size === 0xfc) {
            size = (from[p] as number) | ((from[p + 1] as number) << 8);
            p += 2;
          } else if (size === 0xfd) {
            size = (from[p] as number) | ((from[p + 1] as number) << 8) | ((from[p + 2] as number) << 16);
            p += 3;
          } else throw new ProtocolError("a field is longer than its row");
        }
        const fieldEnd = p + size;
        if (fieldEnd > rowEnd) throw new ProtocolError("a field is longer than its row");
        const how = kinds[column] as number;
        if (how === kind.raw) {
          while (p < fieldEnd) to[o++] = from[p++] as number;
        } else if (how === kind.text) {
          while (p < fieldEnd) {
            const byte = from[p++] as number;
            const letter = escapes[byte] as number;
            if (letter === 0) to[o++] = byte;
            else if (letter === 1) (findings[column] as Findings).nuls++;
            else {
              to[o++] = 0x5c;
              to[o++] = letter;
            }
          }
        } else if (how === kind.date) {
          if (isRealDate(from, p, size)) while (p < fieldEnd) to[o++] = from[p++] as number;
          else {
            const found = findings[column] as Findings;
            found.dates++;
            if (nullable[column] !== true) found.broken ??= `the date ${from.toString("latin1", p, fieldEnd)}`;
            to[o++] = 0x5c;
            to[o++] = 0x4e;
          }
        } else if (how === kind.bytea) {
          o = writeHex(from, p, size, to, writeHexStart(to, o));
        } else {
          o = (writers[column] as NonNullable<(typeof writers)[number]>)(from, p, size, to, o);
          if ((findings[column] as Findings).broken !== undefined) isBroken = true;
        }
        p = fieldEnd;
      }
      if (p !== rowEnd) throw new ProtocolError("a row is longer than its fields");
      to[o++] = 0x0a;
      rows++;
      if (isBroken) discarding = true;
    }
    if (!discarding) lookForBroken();
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
