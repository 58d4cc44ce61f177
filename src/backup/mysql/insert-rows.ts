import { ProtocolError } from "../../engine/mysql/driver/errors.ts";
import type { RowSink } from "../../engine/mysql/driver/session.ts";
import { type InsertTarget, insertHead, literalParts } from "../../engine/mysql/target/insert.ts";
import { createRowReader } from "../../engine/rows/framing.ts";
import { createLongRow } from "../../engine/rows/long-row.ts";
import { kind } from "../../engine/rows/mysql-to-load/rows.ts";

/**
 * Row packets of the text protocol → INSERT statements, as bytes: one loop a row, no object for a row or a field. The same text as
 * the engine's encoder and its INSERTs make in two steps (insert.ts), in half the time.
 */
export interface InsertRows extends RowSink {
  /** Rows written so far. */
  readonly rows: number;
  /** Empty values in columns of kind `enumeration`. */
  readonly empty: number;
  /** Sends what is left. Last call. */
  finish(): void;
}

interface Statements {
  /** A buffer of at least so many bytes. */
  take(bytes: number): Buffer;
  /** A statement: the first bytes of a buffer that was taken, which is the receiver's from then on. */
  send(buffer: Buffer, length: number): void;
  room(): Promise<void> | undefined;
}

/** Rows up to this length are written at once; longer ones as they come. A fraction of the session's input. */
const mostAtOnce = 128 * 1024;
/** Bytes that are written for one that is read, at most. */
const widest = 2;

/** 0: the byte as it is; else the letter after the backslash. */
const escapes = new Uint8Array(256);
for (const [byte, letter] of [
  [0x00, 0x30],
  [0x09, 0x74],
  [0x0a, 0x6e],
  [0x5c, 0x5c],
  [0x27, 0x27],
] as const)
  escapes[byte] = letter;

const comma = 0x2c;
const open = 0x28;
const close = 0x29;

const tooLong = () => new ProtocolError("a field is longer than its row");
const moreFields = () => new ProtocolError("a row is longer than its fields");

function writeText(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let o = at;
  for (let p = start; p < end; p++) {
    const byte = from[p] as number;
    const letter = escapes[byte] as number;
    if (letter !== 0) {
      to[o++] = 0x5c;
      to[o++] = letter;
    } else to[o++] = byte;
  }
  return o;
}

export function createInsertRows(
  columnKinds: readonly number[],
  { into, columns, most, limit, tooLarge }: InsertTarget,
  out: Statements,
): InsertRows {
  const head = Buffer.from(insertHead(into, columns));
  const kinds = Uint8Array.from(columnKinds);
  const around = columns.map(literalParts);
  const before = around.map((one) => one.before);
  const after = around.map((one) => one.after);
  const nothing = around.map((one) => one.nothing);
  const count = columnKinds.length;
  /** Of a row, beside the bytes of its fields. */
  const extra = around.reduce((sum, one) => sum + one.before.length + one.after.length + one.nothing.length + 1, 4);
  const usual = most + mostAtOnce * widest + extra + head.length;

  let to = out.take(usual);
  head.copy(to);
  let o = head.length;
  let rowStart = o;
  let inStatement = 0;
  let rows = 0;
  let empty = 0;

  const need = (bytes: number) => {
    if (o + bytes <= to.length) return;
    const wider = out.take(Math.max(to.length * 2, o + bytes));
    to.copy(wider, 0, 0, o);
    to = wider;
  };

  /** Sends the rows before `end`; what was begun of the next one stays. */
  const flush = (end: number) => {
    const [sent, begun] = [to, o - end];
    // A row after the first of its statement begins with a comma.
    const skipped = begun > 0 ? 1 : 0;
    to = out.take(Math.max(usual, head.length + begun));
    head.copy(to);
    sent.copy(to, head.length, end + skipped, end + begun);
    o = head.length + begun - skipped;
    inStatement = 0;
    out.send(sent, end);
  };

  const beginRow = () => {
    rowStart = o;
    if (inStatement > 0) to[o++] = comma;
    to[o++] = open;
  };

  const endRow = () => {
    to[o++] = close;
    if (o - rowStart + head.length > limit) throw tooLarge(o - rowStart);
    // Over the limit with this row, not without it: it goes into the next statement.
    if (o > limit && inStatement > 0) flush(rowStart);
    inStatement++;
    rows++;
    if (o >= most) flush(o);
  };

  const putAll = (bytes: Buffer, at: number): number => {
    const { length } = bytes;
    for (let i = 0; i < length; i++) to[at + i] = bytes[i] as number;
    return at + length;
  };

  const writeField = (from: Uint8Array, start: number, end: number, of: number, at: number): number => {
    const how = kinds[of];
    if (how !== kind.plain) {
      if (start === end && how === kind.enumeration) empty++;
      return writeText(from, start, end, to, at);
    }
    let written = at;
    for (let p = start; p < end; p++) to[written++] = from[p] as number;
    return written;
  };

  /** The payload from[start..rowEnd), complete. */
  const encode = (from: Buffer, start: number, rowEnd: number): void => {
    need((rowEnd - start) * widest + extra);
    beginRow();
    let at = o;
    let p = start;
    for (let column = 0; column < count; column++) {
      if (column > 0) to[at++] = comma;
      let size = from[p++] as number;
      if (size === 0xfb) {
        at = putAll(nothing[column] as Buffer, at);
        continue;
      }
      if (size > 0xfb) {
        const width = size - 0xfa;
        if (width > 3) throw tooLong();
        size = from.readUIntLE(p, width);
        p += width;
      }
      const end = p + size;
      if (end > rowEnd) throw tooLong();
      at = writeField(from, p, end, column, putAll(before[column] as Buffer, at));
      p = end;
      at = putAll(after[column] as Buffer, at);
    }
    if (p !== rowEnd) throw moreFields();
    o = at;
    endRow();
  };

  const putText = (text: Buffer) => {
    need(text.length);
    o = putAll(text, o);
  };

  const separate = (column: number) => {
    need(1);
    if (column > 0) to[o++] = comma;
  };

  const long = createLongRow(count, {
    start() {
      need(extra);
      beginRow();
    },
    none(column) {
      separate(column);
      putText(nothing[column] as Buffer);
    },
    begin(column, length) {
      separate(column);
      if (length === 0 && kinds[column] === kind.enumeration) empty++;
      putText(before[column] as Buffer);
    },
    piece(from, start, end) {
      need((end - start) * widest);
      o = writeText(from, start, end, to, o);
      if (o - rowStart > limit) throw tooLarge(o - rowStart);
    },
    end: (column) => putText(after[column] as Buffer),
    finish() {
      need(1);
      endRow();
    },
  });

  const reader = createRowReader({ fits: mostAtOnce, row: encode, long });
  return {
    get rows() {
      return rows;
    },
    get empty() {
      return empty;
    },
    get ended() {
      return reader.ended;
    },
    room: () => out.room(),
    take: reader.take,
    finish() {
      if (inStatement > 0) out.send(to, o);
    },
  };
}
