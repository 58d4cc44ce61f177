import { ProtocolError } from "../../mysql/driver/errors.ts";
import type { RowSink } from "../../mysql/driver/session.ts";
import { blockStart, type Loader } from "../../mysql/target/loader.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import { createRowReader } from "../framing.ts";
import { createNumberScan, mayLoseDigits } from "../json-numbers.ts";
import { createLongRow } from "../long-row.ts";
import type { RowEncoding } from "../row-output.ts";

/**
 * Row packets of the text protocol → LOAD DATA text (loader.ts), as bytes: one loop a row, no object for a row or a field.
 * A row that might not fit into a block, or is longer than a packet, is written piece by piece.
 */
export interface MysqlToLoadEncoder extends RowSink, Pick<RowEncoding<never>, "rows" | "bytes" | "finish"> {
  /** Empty values in columns of kind `enumeration`. */
  readonly empty: number;
  /** By column, values that change: of kind `signed` minus zero, of kind `document` those with a number that loses digits. */
  readonly changed: readonly number[];
}

/** How a column's fields are written. */
export const kind = {
  /** Numbers and dates: no byte that wants an escape. */
  plain: 0,
  text: 1,
  /** As text; an empty value may be the one that is in no list, which the target warns of. */
  enumeration: 2,
  /** A floating point number for a column that knows no minus zero. */
  signed: 3,
  /** A JSON document whose numbers the target reads as doubles: MySQL itself may have made decimals of them. */
  document: 4,
} as const;

/** 0: the byte as it is; else the letter after the backslash. */
const escapes = new Uint8Array(256);
escapes[0x00] = 0x30;
escapes[0x09] = 0x74;
escapes[0x0a] = 0x6e;
escapes[0x5c] = 0x5c;

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

/** MySQL writes as many zeros as the column's type has digits after its point. */
function isMinusZero(from: Uint8Array, start: number, end: number): boolean {
  if (end - start < 2 || from[start] !== minus) return false;
  for (let p = start + 1; p < end; p++) if (from[p] !== zero && from[p] !== point) return false;
  return true;
}

/** Bytes that are written for one that is read, at most. */
const widest = 2;

function writeText(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let o = at;
  for (let p = start; p < end; p++) {
    const byte = from[p] as number;
    const letter = escapes[byte] as number;
    if (letter === 0) to[o++] = byte;
    else {
      to[o++] = 0x5c;
      to[o++] = letter;
    }
  }
  return o;
}

/** 0xfc: two bytes, 0xfd: three; a field with eight is longer than any row that fits into a block. */
function longSize(from: Buffer, at: number, width: number): number {
  if (width > 3) throw tooLong();
  return from.readUIntLE(at, width);
}

const tooLong = () => new ProtocolError("a field is longer than its row");

export function createMysqlToLoadEncoder(columnKinds: readonly number[], out: Loader): MysqlToLoadEncoder {
  const columns = columnKinds.length;
  const kinds = Uint8Array.from(columnKinds);
  const extra = columns * 2 + 8;
  const fits = Math.floor((blockBytes - blockStart - extra) / widest);
  let block = out.first();
  let o = blockStart;
  let rows = 0;
  let empty = 0;
  const changed = columnKinds.map(() => 0);
  const scans = columnKinds.map((how) => (how === kind.document ? createNumberScan("plain") : undefined));
  const count = (column: number) => {
    changed[column] = (changed[column] as number) + 1;
  };

  const flush = () => {
    block = out.flush(block, o);
    o = blockStart;
  };
  const need = (length: number) => {
    if (o + length > blockBytes) flush();
  };

  /** Counts what a complete field of no ordinary kind holds. */
  const note = (how: number | undefined, column: number, from: Uint8Array, start: number, end: number) => {
    if (how === kind.signed) {
      if (isMinusZero(from, start, end)) count(column);
    } else if (how === kind.document) {
      // MySQL writes decimals without an exponent.
      if (!mayLoseDigits(from, start, end, false)) return;
      const scan = scans[column];
      scan?.feed(from, start, end);
      if (scan?.finish()) count(column);
    } else if (start === end) empty++;
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
        to[at++] = 0x5c;
        to[at++] = 0x4e;
        continue;
      }
      if (size > 0xfb) {
        const width = size - 0xfa;
        size = longSize(from, p, width);
        p += width;
      }
      const end = p + size;
      if (end > rowEnd) throw tooLong();
      const how = kinds[column];
      if (how !== kind.plain) {
        if (how !== kind.text) note(how, column, from, p, end);
        at = writeText(from, p, end, to, at);
        p = end;
      } else while (p < end) to[at++] = from[p++] as number;
    }
    if (p !== rowEnd) throw new ProtocolError("a row is longer than its fields");
    to[at++] = 0x0a;
    o = at;
    rows++;
  };

  /** Of a number that comes in pieces: 1 where all that was read of it may be minus zero, 0 where nothing was read. */
  let signed = 0;
  let longColumn = 0;

  const put = (byte: number) => {
    need(1);
    block[o++] = byte;
  };

  const long = createLongRow(columns, {
    start: () => undefined,
    none(column) {
      if (column > 0) put(0x09);
      need(2);
      block[o++] = 0x5c;
      block[o++] = 0x4e;
    },
    begin(column, length) {
      if (column > 0) put(0x09);
      if (length === 0 && kinds[column] === kind.enumeration) empty++;
      longColumn = column;
      signed = 0;
    },
    piece(from, start, end) {
      scans[longColumn]?.feed(from, start, end);
      for (let p = start; kinds[longColumn] === kind.signed && p < end && signed >= 0; p++)
        if (signed === 0) signed = from[p] === minus ? 1 : -1;
        else if (from[p] !== zero && from[p] !== point) signed = -1;
      for (let p = start; p < end; ) {
        if (blockBytes - o < 64) flush();
        const until = Math.min(end, p + ((blockBytes - o) >>> 1));
        o = writeText(from, p, until, block, o);
        p = until;
      }
    },
    end(column) {
      if (signed === 1 || scans[column]?.finish()) count(column);
    },
    finish() {
      put(0x0a);
      rows++;
    },
  });

  const reader = createRowReader({
    fits,
    long,
    row(from, start, end) {
      if (o + (end - start) * widest + extra > blockBytes) flush();
      encode(from, start, end);
    },
  });

  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return reader.bytes;
    },
    get empty() {
      return empty;
    },
    changed,
    get ended() {
      return reader.ended;
    },
    room: () => out.room(),
    take: reader.take,
    finish() {
      if (o > blockStart) flush();
      out.spare(block);
    },
  };
}
