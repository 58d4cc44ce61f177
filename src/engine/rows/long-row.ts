import { ProtocolError } from "../mysql/driver/errors.ts";
import { createFraming, type LongPacketRow } from "./framing.ts";
import { byByte } from "./mysql-to-copy/binary-fields.ts";
import { bitmapBytes, isNull, rowStart } from "./mysql-to-copy/binary-null.ts";

/** What a format does with the fields of a row. */
interface FieldHandler {
  start(): void;
  /** A field that is NULL. */
  none(column: number): void;
  begin(column: number, length: number): void;
  piece(from: Buffer, start: number, end: number): void;
  end(column: number): void;
  finish(): void;
}

/**
 * A row that comes in pieces, however they are cut. In the text protocol a length stands before each field; in the binary one
 * first the row's head, and a length only where `sizes` (binary-fields.ts) does not have it.
 */
export function createLongRow(columns: number, row: FieldHandler, sizes?: readonly number[]): LongPacketRow {
  const head = Buffer.alloc(sizes === undefined ? 0 : rowStart + bitmapBytes(columns));
  let headGot = 0;
  let started = false;
  let column = 0;
  let inField = false;
  let left = 0;
  let lengthBytes = 0;
  let lengthGot = 0;

  const begin = () => {
    inField = true;
    lengthBytes = 0;
    row.begin(column, left);
    if (left === 0) end();
  };

  const end = () => {
    inField = false;
    row.end(column);
    column++;
    seek();
  };

  /** Goes on to a column that is not NULL, whose length may be known by its type. */
  const seek = () => {
    if (sizes === undefined) return;
    for (; column < columns && isNull(head, rowStart, column); column++) row.none(column);
    left = sizes[column] ?? 0;
    if (left > 0) begin();
  };

  /** One byte of the length before a field: its first, or one of those that the first announces. */
  const lengthByte = (byte: number) => {
    if (lengthBytes > 0) {
      left += byte * 256 ** lengthGot++;
      if (lengthGot === lengthBytes) begin();
      return;
    }
    if (column >= columns) throw new ProtocolError("a row is longer than its fields");
    if (byte < 0xfb || sizes?.[column] === byByte) {
      left = byte;
      begin();
    } else if (byte === 0xfb && sizes === undefined) row.none(column++);
    else if (byte < 0xfc || byte > 0xfe) throw new ProtocolError("a field's length is none");
    else {
      lengthBytes = byte === 0xfc ? 2 : byte === 0xfd ? 3 : 8;
      lengthGot = left = 0;
    }
  };

  return createFraming({
    start() {
      column = lengthBytes = headGot = 0;
      inField = started = false;
    },
    payload(from, start, until) {
      let p = start;
      if (!started) {
        const copied = from.copy(head, headGot, p, Math.min(until, p + head.length - headGot));
        headGot += copied;
        p += copied;
        if (headGot < head.length) return;
        started = true;
        row.start();
        seek();
      }
      while (p < until) {
        if (!inField) {
          lengthByte(from[p++] as number);
          continue;
        }
        const length = Math.min(left, until - p);
        row.piece(from, p, p + length);
        p += length;
        left -= length;
        if (left === 0) end();
      }
    },
    finish() {
      if (!started || column !== columns || inField || lengthBytes > 0)
        throw new ProtocolError("a row ends before its last field");
      row.finish();
    },
  });
}
