import { ProtocolError } from "../../mysql/driver/errors.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import type { LongPacketRow } from "../framing.ts";
import { createLongRow } from "../long-row.ts";
import { need, put } from "../row-output.ts";
import { type BinaryField, op, sizeOf } from "./binary-fields.ts";
import { putInt16, putInt32, putNull } from "./binary-values.ts";
import { type BinaryWriter, jsonbVersion, valueExtra, widestOf } from "./binary-writer.ts";
import type { LongOutput } from "./encoder.ts";
import type { MysqlToCopyFindings } from "./fields.ts";
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
  findings: readonly MysqlToCopyFindings[],
  write: BinaryWriter,
  out: LongOutput,
): LongPacketRow {
  const check = createJsonCheck();
  let gathered: Buffer | undefined;
  let gatheredLength = 0;
  let streams = false;
  let column = 0;

  const how = () => (fields[column] as BinaryField).op;
  const isJson = () => how() === op.json || how() === op.jsonb;

  const begin = (at: number, size: number) => {
    column = at;
    streams = size > gatheredBytes;
    if (streams) {
      if (!inPieces.has(how())) throw new ProtocolError("a field is too long for its type");
      const isJsonb = how() === op.jsonb;
      need(out, 5);
      out.move(putInt32(out.block(), out.at(), isJsonb ? size + 1 : size));
      if (isJsonb) put(out, jsonbVersion);
      if (isJson()) check.start(fields[column]);
    } else {
      gathered ??= Buffer.allocUnsafe(gatheredBytes);
      gatheredLength = 0;
    }
  };

  const finishField = () => {
    if (!streams) {
      need(out, gatheredLength * widestOf(how()) + valueExtra);
      out.move(write(column, gathered as Buffer, 0, gatheredLength, out.block(), out.at()));
    } else if (isJson()) {
      const trouble = check.finish();
      if (trouble !== undefined) (findings[column] as MysqlToCopyFindings).broken ??= trouble;
    }
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

  return createLongRow(
    fields.length,
    {
      start() {
        need(out, 2);
        out.move(putInt16(out.block(), out.at(), fields.length));
      },
      none() {
        need(out, 4);
        out.move(putNull(out.block(), out.at()));
      },
      begin,
      piece,
      end: finishField,
      finish: () => undefined,
    },
    fields.map((field) => sizeOf(field.op)),
  );
}
