import { ProtocolError } from "../../mysql/driver/errors.ts";
import type { Blocks } from "../../run/memory/block-pool.ts";
import { createEncoder, type MysqlToCopyEncoder } from "./encoder.ts";
import {
  copyBytes,
  type FieldWriter,
  isRealDate,
  writeHex,
  writeHexStart,
  writeNoDate,
  writeNull,
  writerOf,
  writeText,
} from "./field-writers.ts";
import { kind, type MysqlToCopyField, type MysqlToCopyFindings, noFindings } from "./fields.ts";
import { createLongTextRow } from "./long-row.ts";

/** Bytes written for a byte read, at most: what the widest kind among the columns may do. */
function widening(fields: readonly MysqlToCopyField[]): number {
  if (fields.some((field) => field.kind === kind.bits)) return 8;
  return fields.some((field) => field.kind === kind.set) ? 4 : 2;
}

const tooLong = () => new ProtocolError("a field is longer than its row");
const nothing = new Uint8Array(0);

/** Row packets of the text protocol → COPY text. */
export function createTextEncoder(fields: readonly MysqlToCopyField[], out: Blocks): MysqlToCopyEncoder {
  const columns = fields.length;
  const kinds = Uint8Array.from(fields, (field) => field.kind);
  const findings = fields.map(noFindings);
  const writers = fields.map((field, column) => writerOf(field, findings[column] as MysqlToCopyFindings));
  let isBroken = false;

  const writeDate = (from: Buffer, start: number, size: number, to: Buffer, at: number, column: number): number => {
    if (isRealDate(from, start, size)) return copyBytes(from, start, size, to, at);
    return writeNoDate(fields[column] as MysqlToCopyField, findings[column] as MysqlToCopyFindings, to, at);
  };

  const writeOther = (from: Buffer, start: number, size: number, to: Buffer, at: number, column: number): number => {
    const end = (writers[column] as FieldWriter)(from, start, size, to, at);
    if ((findings[column] as MysqlToCopyFindings).broken !== undefined) isBroken = true;
    return end;
  };

  const encode = (from: Buffer, start: number, rowEnd: number, to: Buffer, begin: number): number => {
    let at = begin;
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
          at = writeText(from, p, size, to, at, findings[column] as MysqlToCopyFindings);
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
    return at;
  };

  return createEncoder(
    {
      findings,
      widest: widening(fields),
      // A tab and `\\x` for a column, or the ten bytes of a date that stands for one of ten; a set's braces and quotes; a bit string's 64 for 9 are within `widest`.
      extra: columns * 8 + 64,
      header: nothing,
      trailer: nothing,
      encode,
      broke: () => isBroken,
      long: (output) => createLongTextRow(fields, findings, output),
    },
    out,
  );
}
