import { ProtocolError } from "../mysql/driver/errors.ts";
import { createFraming, type LongRow } from "./framing.ts";

/** What a format does with the fields of a row. */
export interface RowFormat {
  start(): void;
  /** A field that is NULL. */
  none(column: number): void;
  begin(column: number, length: number): void;
  piece(from: Buffer, start: number, end: number): void;
  end(column: number): void;
  finish(): void;
}

/** A row of MySQL's text protocol that comes in pieces, however they are cut: before each field its length. */
export function createTextRow(columns: number, row: RowFormat): LongRow {
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
  };

  /** One byte of the length before a field: its first, or one of those that the first announces. */
  const lengthByte = (byte: number) => {
    if (lengthBytes > 0) {
      left += byte * 256 ** lengthGot++;
      if (lengthGot === lengthBytes) begin();
      return;
    }
    if (column >= columns) throw new ProtocolError("a row is longer than its fields");
    if (byte === 0xfb) row.none(column++);
    else if (byte < 0xfb) {
      left = byte;
      begin();
    } else {
      lengthBytes = byte === 0xfc ? 2 : byte === 0xfd ? 3 : 8;
      lengthGot = left = 0;
    }
  };

  return createFraming({
    start() {
      column = lengthBytes = 0;
      inField = false;
      row.start();
    },
    payload(from, start, until) {
      let p = start;
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
      if (column !== columns || inField || lengthBytes > 0) throw new ProtocolError("a row ends before its last field");
      row.finish();
    },
  });
}
