import { ProtocolError } from "../../mysql/driver/errors.ts";
import { createFraming, type LongRow } from "../framing.ts";
import { type BinaryField, byByte, op, sizeOf } from "./binary-fields.ts";
import { bitmapBytes, isNull, rowStart } from "./binary-null.ts";
import { putInt16, putInt32, putNull } from "./binary-values.ts";
import { type BinaryWriter, jsonbVersion, valueExtra, widestOf } from "./binary-writer.ts";
import { blockBytes } from "./blocks.ts";
import type { LongOutput } from "./encoder.ts";
import type { Findings } from "./fields.ts";
import { createJsonCheck } from "./json-check.ts";

/**
 * A row of the binary protocol that is larger than a block, or than a packet: texts, bytes and JSON are written piece by
 * piece as they come, however the pieces are cut; what is short is gathered first. A length stands before its field, so
 * that a NUL byte of a long text, which must be left out, is more than this can mend: it gives up.
 */

/** Up to here a field is gathered; longer than this are only those that can be written in pieces. */
const gatheredBytes = 64 * 1024;

const inPieces: ReadonlySet<number> = new Set([op.text, op.bytes, op.json, op.jsonb]);

export function createLongBinaryRow(
  fields: readonly BinaryField[],
  findings: readonly Findings[],
  write: BinaryWriter,
  out: LongOutput,
): LongRow {
  const sizes = fields.map((field) => sizeOf(field.op));
  const headBytes = rowStart + bitmapBytes(fields.length);
  const head = Buffer.alloc(headBytes);
  const check = createJsonCheck();
  /** Bytes of the head, of a length and of a gathered field that are there. */
  let headGot = 0;
  let lengthGot = 0;
  let lengthBytes = 0;
  let gathered: Buffer | undefined;
  let gatheredLength = 0;
  let streams = false;
  let column = 0;
  let inField = false;
  let fieldLeft = 0;

  const need = (length: number) => {
    if (out.at() + length > blockBytes) out.flush();
  };
  const how = () => (fields[column] as BinaryField).op;
  const isJson = () => how() === op.json || how() === op.jsonb;

  /** Goes on to a column that is not NULL, whose length may be known by its type. */
  const seek = () => {
    for (; column < fields.length && isNull(head, rowStart, column); column++) {
      need(4);
      out.move(putNull(out.block(), out.at()));
    }
    lengthBytes = lengthGot = 0;
    const size = sizes[column];
    if (size !== undefined && size > 0) begin(size);
  };

  const begin = (size: number) => {
    inField = true;
    fieldLeft = size;
    streams = size > gatheredBytes;
    if (streams) {
      if (!inPieces.has(how())) throw new ProtocolError("a field is too long for its type");
      const isJsonb = how() === op.jsonb;
      need(5);
      out.move(putInt32(out.block(), out.at(), isJsonb ? size + 1 : size));
      if (isJsonb) {
        out.block()[out.at()] = jsonbVersion;
        out.move(out.at() + 1);
      }
      if (isJson()) check.start(fields[column]);
    } else {
      gathered ??= Buffer.allocUnsafe(gatheredBytes);
      gatheredLength = 0;
      if (size === 0) finishField();
    }
  };

  const finishField = () => {
    if (!streams) {
      need(gatheredLength * widestOf(how()) + valueExtra);
      out.move(write(column, gathered as Buffer, 0, gatheredLength, out.block(), out.at()));
    } else if (isJson()) {
      const trouble = check.finish();
      if (trouble !== undefined) (findings[column] as Findings).broken ??= trouble;
    }
    inField = false;
    column++;
    seek();
  };

  const piece = (from: Buffer, start: number, end: number) => {
    if (!streams) {
      gatheredLength += from.copy(gathered as Buffer, gatheredLength, start, end);
      return;
    }
    if (how() !== op.bytes && from.subarray(start, end).includes(0)) out.giveUp();
    if (isJson()) check.feed(from, start, end);
    for (let p = start; p < end; ) {
      if (out.at() === blockBytes) out.flush();
      const length = from.copy(out.block(), out.at(), p, Math.min(end, p + blockBytes - out.at()));
      out.move(out.at() + length);
      p += length;
    }
  };

  /** One byte of the length before a field: its first, or one of those that the first announces. */
  const lengthByte = (byte: number) => {
    if (column >= fields.length) throw new ProtocolError("a row is longer than its fields");
    if (lengthBytes > 0) {
      fieldLeft += byte * 256 ** lengthGot++;
      if (lengthGot === lengthBytes) begin(fieldLeft);
    } else if (sizes[column] === byByte || byte < 0xfb) begin(byte);
    else {
      if (byte < 0xfc || byte > 0xfe) throw new ProtocolError("a field's length is none");
      lengthBytes = byte === 0xfc ? 2 : byte === 0xfd ? 3 : 8;
      fieldLeft = 0;
    }
  };

  const payload = (from: Buffer, start: number, end: number) => {
    let p = start;
    if (headGot < headBytes) {
      const copied = from.copy(head, headGot, p, Math.min(end, p + headBytes - headGot));
      headGot += copied;
      p += copied;
      if (headGot < headBytes) return;
      need(2);
      out.move(putInt16(out.block(), out.at(), fields.length));
      seek();
    }
    while (p < end) {
      if (!inField) {
        lengthByte(from[p++] as number);
        continue;
      }
      const length = Math.min(fieldLeft, end - p);
      piece(from, p, p + length);
      p += length;
      fieldLeft -= length;
      if (fieldLeft === 0) finishField();
    }
  };

  const finishRow = () => {
    if (headGot < headBytes || column !== fields.length || inField)
      throw new ProtocolError("a row ends before its fields");
  };

  return createFraming({
    start() {
      column = headGot = 0;
      inField = false;
    },
    payload,
    finish: finishRow,
  });
}
