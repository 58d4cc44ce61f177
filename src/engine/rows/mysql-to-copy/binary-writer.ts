import { type BinaryField, type FieldOperation, op } from "./binary-fields.ts";
import {
  copyUpToZero,
  dayNumber,
  putInt32,
  putMicroseconds,
  putNull,
  readClock,
  readDay,
  readUInt32,
  writeBits,
  writeByte,
  writeBytes,
  writeDay,
  writeDoubleAsFloat,
  writeInterval,
  writeNumeric,
  writeReversed,
  writeSet,
  writeUnsignedAsNumeric,
  writeUuid,
  writeWider,
} from "./binary-values.ts";
import type { MysqlToCopyFindings } from "./fields.ts";
import { createJsonCheck } from "./json-check.ts";

/**
 * The writer of one row's values: each lies whole in from[start..start+size) and goes to `to` at `at`; answers where it
 * ended. What is looked for on the way is what field-writers.ts looks for.
 */
export type BinaryWriter = (
  column: number,
  from: Buffer,
  start: number,
  size: number,
  to: Buffer,
  at: number,
) => number;

/** Bytes that a value may be written as beyond its own, and for each of its own: a SET of labels of one letter. */
export const valueExtra = 24;
export const widestOf = (how: FieldOperation): number => (how === op.set ? 3 : 1);
/** What jsonb_recv wants before the text. */
export const jsonbVersion = 1;

/** The day of a date as `1970-01-01` (options.ts). */
function standIn(text: Buffer): number {
  const [year = 0, month = 0, day = 0] = text.toString("latin1").split("-").map(Number);
  return dayNumber(year, month, day);
}

export function createBinaryWriter(
  fields: readonly BinaryField[],
  findings: readonly MysqlToCopyFindings[],
  broke: () => void,
): BinaryWriter {
  const ops = Uint8Array.from(fields, (field) => field.op);
  const check = createJsonCheck();

  const breaks = (column: number, why: string, to: Buffer, at: number): number => {
    (findings[column] as MysqlToCopyFindings).broken ??= why;
    broke();
    return putNull(to, at);
  };

  const writeNoDate = (column: number, to: Buffer, at: number): number => {
    const { nullable, zero, op: how } = fields[column] as BinaryField;
    (findings[column] as MysqlToCopyFindings).dates++;
    if (zero !== undefined && zero !== "fail") {
      const day = standIn(zero.text);
      return how === op.date ? writeDay(day, to, at) : putMicroseconds(day, 0, to, putInt32(to, at, 8));
    }
    return zero === "fail" || !nullable ? breaks(column, "a date that does not exist", to, at) : putNull(to, at);
  };

  const writeText: BinaryWriter = (column, from, start, size, to, at) => {
    const copied = copyUpToZero(from, start, size, to, at + 4);
    let o = at + 4 + copied;
    for (let p = start + copied, end = start + size; p < end; p++) {
      const byte = from[p] as number;
      if (byte === 0) (findings[column] as MysqlToCopyFindings).nuls++;
      else to[o++] = byte;
    }
    putInt32(to, at, o - at - 4);
    return o;
  };

  const writeJson: BinaryWriter = (column, from, start, size, to, at) => {
    check.start(fields[column]);
    check.feed(from, start, start + size);
    const trouble = check.finish();
    return trouble === undefined ? writeText(column, from, start, size, to, at) : breaks(column, trouble, to, at);
  };

  const writeJsonb: BinaryWriter = (column, from, start, size, to, at) => {
    const end = writeJson(column, from, start, size, to, at + 1);
    putInt32(to, at, end - at - 4);
    to[at + 4] = jsonbVersion;
    return end;
  };

  const writeBoolean: BinaryWriter = (column, from, start, _size, to, at) => {
    const value = from[start] as number;
    (findings[column] as MysqlToCopyFindings).seen = true;
    if (value > 1) return breaks(column, "a number other than 0 and 1", to, at);
    return writeByte(value, to, at);
  };

  const writeTime: BinaryWriter = (column, from, start, size, to, at) => {
    if (size > 0 && (from[start] !== 0 || readUInt32(from, start + 1) > 0 || (from[start + 5] as number) > 23))
      return breaks(column, "a time outside of a day", to, at);
    return putMicroseconds(0, readClock(from, start + 5, size - 5), to, putInt32(to, at, 8));
  };

  return (column, from, start, size, to, at) => {
    switch (ops[column]) {
      case op.i1to2:
        return writeWider(from, start, 1, false, 2, to, at);
      case op.u1to2:
        return writeWider(from, start, 1, true, 2, to, at);
      case op.u2to4:
        return writeWider(from, start, 2, true, 4, to, at);
      case op.u4to8:
        return writeWider(from, start, 4, true, 8, to, at);
      case op.i2to2:
        return writeReversed(from, start, 2, to, at);
      case op.i4to4:
        return writeReversed(from, start, 4, to, at);
      case op.i8to8:
      case op.double:
        return writeReversed(from, start, 8, to, at);
      case op.u8to8:
        if ((from[start + 7] as number) > 0x7f) return breaks(column, "a number above 9223372036854775807", to, at);
        return writeReversed(from, start, 8, to, at);
      case op.u8toNumeric:
        return writeUnsignedAsNumeric(from, start, to, at);
      case op.boolean:
        return writeBoolean(column, from, start, size, to, at);
      case op.doubleToFloat:
        return writeDoubleAsFloat(from, start, to, at);
      case op.numeric:
        return writeNumeric(from, start, size, to, at);
      case op.text:
        return writeText(column, from, start, size, to, at);
      case op.bytes:
        return writeBytes(from, start, size, to, at);
      case op.date: {
        const day = readDay(from, start, size);
        return day === undefined ? writeNoDate(column, to, at) : writeDay(day, to, at);
      }
      case op.timestamp: {
        const day = readDay(from, start, size);
        if (day === undefined) return writeNoDate(column, to, at);
        return putMicroseconds(day, readClock(from, start + 4, size - 4), to, putInt32(to, at, 8));
      }
      case op.time:
        return writeTime(column, from, start, size, to, at);
      case op.interval:
        return writeInterval(from, start, size, to, at);
      case op.enumeration:
        if (size === 0 && (fields[column] as BinaryField).emptyLabel !== true)
          return breaks(column, "a value outside of the list, which reads as ''", to, at);
        return writeText(column, from, start, size, to, at);
      case op.json:
        return writeJson(column, from, start, size, to, at);
      case op.jsonb:
        return writeJsonb(column, from, start, size, to, at);
      case op.uuid:
        return writeUuid(from, start, size, to, at);
      case op.bit1:
        return writeByte((from[start + size - 1] as number) & 1, to, at);
      case op.set:
        return writeSet(from, start, size, to, at);
      default:
        return writeBits(from, start, size, (fields[column] as BinaryField).bits ?? 1, to, at);
    }
  };
}
