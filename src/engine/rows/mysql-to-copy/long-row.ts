import { ProtocolError } from "../../mysql/driver/errors.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import type { LongPacketRow } from "../framing.ts";
import { createLongRow } from "../long-row.ts";
import { need, put, type RowOutput } from "../row-output.ts";
import {
  ewkbHead,
  isRealDate,
  noteSrid,
  sridBytes,
  writeEwkbStart,
  writeHex,
  writeHexStart,
  writeNoDate,
  writeNull,
  writerOf,
  writeText,
} from "./field-writers.ts";
import { kind, type MysqlToCopyField, type MysqlToCopyFindings } from "./fields.ts";
import { createJsonCheck } from "./json-check.ts";
import { createShapeCheck } from "./shape-check.ts";

/**
 * A row that is larger than a block, or than a packet: its fields are written piece by piece as they come, however
 * the pieces are cut. Only fields of short kinds (numbers, dates, sets) are gathered first.
 */

/** Longest field of a kind that is gathered: a SET of 64 labels of 255 characters. */
const gatheredBytes = 64 * 1024;
/** Bytes that a gathered field may be written as, at most. */
const widest = 8;

export function createLongTextRow(
  fields: readonly MysqlToCopyField[],
  findings: readonly MysqlToCopyFindings[],
  out: RowOutput,
): LongPacketRow {
  let column = 0;
  let skip = 0;
  let srid = 0;
  let gathered: Buffer | undefined;
  let gatheredLength = 0;
  const check = createJsonCheck();
  const shape = createShapeCheck();
  const head = new Uint8Array(ewkbHead);
  let headGot = 0;

  const isGathered = (how: number) =>
    how > kind.bytea && how !== kind.json && how !== kind.geometry && how !== kind.ewkb;
  const isHex = (how: number) => how === kind.bytea || how === kind.geometry || how === kind.ewkb;
  const field = () => fields[column] as MysqlToCopyField;
  const found = () => findings[column] as MysqlToCopyFindings;

  const begin = (at: number, length: number) => {
    column = at;
    if (column > 0) put(out, 0x09);
    const how = field().kind;
    if (how === kind.bytea || how === kind.geometry) {
      need(out, 3);
      out.move(writeHexStart(out.block(), out.at()));
      skip = how === kind.geometry ? sridBytes : 0;
      srid = 0;
    } else if (how === kind.json) check.start(field());
    else if (how === kind.ewkb) {
      shape.start(field().shape ?? 0);
      headGot = 0;
    } else if (isGathered(how)) {
      if (length > gatheredBytes) throw new ProtocolError("a field is too long for its type");
      gathered ??= Buffer.allocUnsafe(gatheredBytes);
      gatheredLength = 0;
    }
  };

  const finishField = () => {
    const how = field().kind;
    if (how === kind.json) {
      const trouble = check.finish();
      if (trouble !== undefined) found().broken ??= trouble;
    } else if (how === kind.ewkb) {
      const trouble = shape.finish();
      if (trouble !== undefined) found().broken ??= trouble;
    } else if (isGathered(how)) writeGathered(gathered as Buffer);
  };

  const writeGathered = (from: Buffer) => {
    const length = gatheredLength;
    const room = field().kind === kind.bits ? 80 : length * (field().kind === kind.set ? 4 : 2) + 16;
    if (room > blockBytes - 16) throw new ProtocolError("a field is too long for its type");
    need(out, Math.min(room, length * widest + 80));
    const to = out.block();
    const at = out.at();
    if (field().kind !== kind.date) {
      // The row loop's own writers are closures over the same findings.
      writers[column] ??= writerOf(field(), found());
      out.move((writers[column] as NonNullable<ReturnType<typeof writerOf>>)(from, 0, length, to, at));
    } else if (isRealDate(from, 0, length)) {
      from.copy(to, at, 0, length);
      out.move(at + length);
    } else {
      out.move(writeNoDate(field(), found(), to, at));
    }
  };
  const writers: ReturnType<typeof writerOf>[] = [];

  /** Looks at a piece of a geometry and writes its head once that is whole; answers where the rest begins. */
  const shapePiece = (from: Buffer, start: number, end: number): number => {
    shape.feed(from, start, end);
    let p = start;
    if (headGot === ewkbHead) return p;
    while (headGot < ewkbHead && p < end) head[headGot++] = from[p++] as number;
    if (headGot === ewkbHead) {
      need(out, ewkbHead * 2);
      out.move(writeEwkbStart(head, 0, out.block(), out.at()));
    }
    return p;
  };

  const piece = (from: Buffer, start: number, end: number) => {
    const how = field().kind;
    if (isGathered(how)) {
      from.copy(gathered as Buffer, gatheredLength, start, end);
      gatheredLength += end - start;
      return;
    }
    if (how === kind.json) check.feed(from, start, end);
    for (let p = how === kind.ewkb ? shapePiece(from, start, end) : start; p < end; ) {
      if (skip > 0) {
        srid += (from[p++] as number) * 256 ** (sridBytes - skip);
        if (--skip === 0) noteSrid(found(), srid);
        continue;
      }
      if (blockBytes - out.at() < 64) out.flush();
      const length = Math.min(end - p, (blockBytes - out.at()) >>> 1);
      const to = out.block();
      if (isHex(how)) out.move(writeHex(from, p, length, to, out.at()));
      else if (how === kind.raw) {
        from.copy(to, out.at(), p, p + length);
        out.move(out.at() + length);
      } else out.move(writeText(from, p, length, to, out.at(), found()));
      p += length;
    }
  };

  return createLongRow(fields.length, {
    start: () => undefined,
    none(at) {
      if (at > 0) put(out, 0x09);
      need(out, 2);
      out.move(writeNull(out.block(), out.at()));
    },
    begin,
    piece,
    end: finishField,
    finish: () => put(out, 0x0a),
  });
}
