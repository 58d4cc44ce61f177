import { EngineError } from "../../contract/index.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import { createNumberScan } from "../json-numbers.ts";
import { need, type RowOutput } from "../row-output.ts";
import { type End, hexDigit, putByte } from "./field-ends.ts";
import { type CopyToLoadField, type CopyToLoadFindings, kind } from "./fields.ts";
import { createKeyScan } from "./json-keys.ts";
import { createShapeTurn } from "./shape-turn.ts";

/** A row that is longer than a block, byte by byte through as many blocks as it takes; any byte may be the last of a piece. */
interface LongCopyRow {
  readonly active: boolean;
  /** A row of so many bytes begins. */
  start(length: number): void;
  take(from: Uint8Array, start: number, end: number, discarding: boolean): number;
}

const tab = 0x09;
const lineFeed = 0x0a;
const backslash = 0x5c;
/** The longest numeric has 147,455 digits. */
const gatheredBytes = 160 * 1024;

export function createLongCopyRow(
  fields: readonly CopyToLoadField[],
  findings: readonly CopyToLoadFindings[],
  ends: readonly (End | undefined)[],
  out: RowOutput,
): LongCopyRow {
  let left = 0;
  let active = false;
  let column = 0;
  /** Bytes of the field seen so far. */
  let seen = 0;
  /** After a backslash, whose own byte is not written yet. */
  let escaped = false;
  /** bytes: the first digit of two, or -1. */
  let digit = -1;
  let characters = 0;
  let gathered: Buffer | undefined;

  const put = (byte: number) => {
    if (out.at() + 2 > blockBytes) out.flush();
    const block = out.block();
    const at = out.at();
    block[at] = byte;
    out.move(at + 1);
  };

  const putAny = (byte: number) => {
    if (out.at() + 2 > blockBytes) out.flush();
    out.move(putByte(out.block(), out.at(), byte));
  };

  const turns = fields.map((field) =>
    field.kind !== kind.shape
      ? undefined
      : createShapeTurn(field.srids, (bytes, length) => {
          for (let at = 0; at < length; at++) putAny(bytes[at] as number);
        }),
  );
  const scans = fields.map(({ doubles }) => (doubles ? createNumberScan("written") : undefined));
  const keyScans = fields.map(({ doubles }) => (doubles === "exponents" ? createKeyScan() : undefined));
  const single = new Uint8Array(1);

  const beginField = () => {
    turns[column]?.start(0);
    seen = 0;
    escaped = false;
    digit = -1;
    characters = 0;
  };

  const textByte = (byte: number, field: CopyToLoadField) => {
    single[0] = byte;
    scans[column]?.feed(single, 0, 1);
    keyScans[column]?.feed(single, 0, 1);
    if (!escaped && byte === backslash) {
      escaped = true;
      return;
    }
    if (
      (byte & 0xc0) !== 0x80 &&
      ++characters > (field.limit ?? Number.POSITIVE_INFINITY) &&
      field.kind === kind.limited
    )
      (findings[column] as CopyToLoadFindings).broken ??= "long";
    if (escaped) {
      escaped = false;
      if (byte === 0x76) return put(0x0b);
      if (byte === 0x66) return put(0x0c);
      put(backslash);
    }
    put(byte);
  };

  /** `\\x` first, in which NULL differs by its second byte. */
  const bytesByte = (byte: number, field: CopyToLoadField) => {
    if (seen === 1 && byte === 0x4e) {
      put(backslash);
      return put(byte);
    }
    if (seen < 3) return;
    if (digit < 0) {
      digit = hexDigit(byte);
      return;
    }
    if (++characters > (field.limit ?? Number.POSITIVE_INFINITY))
      (findings[column] as CopyToLoadFindings).broken ??= "long";
    const whole = (digit << 4) | hexDigit(byte);
    digit = -1;
    const turn = turns[column];
    if (turn === undefined) return putAny(whole);
    single[0] = whole;
    turn.feed(single, 0, 1);
  };

  const gather = (byte: number) => {
    gathered ??= Buffer.allocUnsafe(gatheredBytes);
    if (seen >= gatheredBytes)
      throw new EngineError("protocol_error", "a number of the source is longer than a number can be");
    gathered[seen] = byte;
  };

  const endGathered = () => {
    const bytes = gathered ?? Buffer.alloc(0);
    // Bits may take a byte more than their text.
    need(out, seen + 2);
    const at = out.at();
    const block = out.block();
    block.set(bytes.subarray(0, seen), at);
    const end = ends[column];
    out.move(end === undefined ? at + seen : end(block, at, at + seen));
  };

  const isHex = (how: number) => how === kind.bytes || how === kind.shape;
  const isGathered = (how: number) => how !== kind.raw && how !== kind.text && how !== kind.limited && !isHex(how);

  const one = (byte: number) => {
    const field = fields[column];
    if (field === undefined)
      throw new EngineError("protocol_error", "a row of the source has more columns than were requested");
    if (byte === tab || byte === lineFeed) {
      if (isGathered(field.kind)) endGathered();
      // NULL has two bytes.
      if (seen > 2 && turns[column]?.finish() !== undefined) (findings[column] as CopyToLoadFindings).broken ??= "long";
      if (scans[column]?.finish()) (findings[column] as CopyToLoadFindings).rounded++;
      if (keyScans[column]?.finish()) (findings[column] as CopyToLoadFindings).doubled++;
      put(byte);
      column++;
      beginField();
      return;
    }
    if (isHex(field.kind)) bytesByte(byte, field);
    else if (isGathered(field.kind)) gather(byte);
    else textByte(byte, field);
    seen++;
  };

  return {
    get active() {
      return active;
    },
    start(length) {
      left = length;
      active = true;
      column = 0;
      beginField();
    },
    take(from, start, end, discarding) {
      const stop = Math.min(end, start + left);
      if (!discarding) for (let p = start; p < stop; p++) one(from[p] as number);
      left -= stop - start;
      if (left === 0) {
        active = false;
        if (!discarding && column !== fields.length)
          throw new EngineError("protocol_error", "a row of the source does not have the requested columns");
      }
      return stop;
    },
  };
}
