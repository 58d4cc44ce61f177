import { EngineError } from "../../contract/index.ts";
import { blockStart, type Loader } from "../../mysql/target/loader.ts";
import { blockBytes } from "../../run/memory/block-pool.ts";
import type { RowEncoding } from "../row-output.ts";
import { endOf } from "./field-ends.ts";
import { type CopyToLoadField, type CopyToLoadFindings, kind, noFindings } from "./fields.ts";
import { createLongCopyRow } from "./long-row.ts";

/**
 * CopyData messages of COPY's text → LOAD DATA text, as bytes: one loop a row, no object for a row or a field. A row
 * that might not fit into a block is streamed by long-row.ts.
 */
export interface CopyToLoadEncoder extends RowEncoding<CopyToLoadFindings> {
  /**
   * Takes CopyData messages from buffer[start..end) and answers where it stopped: before one that is not whole, or before
   * another kind of message. It keeps nothing of the buffer.
   */
  take(buffer: Buffer, start: number, end: number): number;
  /** In the middle of a long row: what comes is its, whatever it looks like. */
  readonly within: boolean;
}

const copyData = 0x64;
const header = 5;
const tab = 0x09;
const lineFeed = 0x0a;
const backslash = 0x5c;
/** What stands after a backslash in COPY's text and has no such form in LOAD DATA's: the byte itself. */
const decoded = new Uint8Array(256);
decoded[0x76] = 0x0b;
decoded[0x66] = 0x0c;

export function createCopyToLoadEncoder(
  fields: readonly CopyToLoadField[],
  out: Pick<Loader, "first" | "flush" | "spare">,
): CopyToLoadEncoder {
  const columns = fields.length;
  const findings = fields.map(noFindings);
  const ends = fields.map((field, column) => endOf(field, findings[column] as CopyToLoadFindings));
  const kinds = Uint8Array.from(fields, (field) => field.kind);
  /** Bits may take one byte more than their text. */
  const fits = blockBytes - blockStart - columns - 64;
  let block = out.first();
  let o = blockStart;
  let rows = 0;
  let bytes = 0;
  let discarding = false;
  let isBroken = false;

  const long = createLongCopyRow(fields, findings, ends, {
    block: () => block,
    at: () => o,
    move(at) {
      o = at;
    },
    flush() {
      block = out.flush(block, o);
      o = blockStart;
    },
  });

  const lookForBroken = () => {
    if (findings.some(({ broken }) => broken !== undefined)) isBroken = discarding = true;
  };

  /** The row from[start..rowEnd), for which the block has room. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the hot path, one loop without a call for a byte
  const encode = (from: Buffer, start: number, rowEnd: number): void => {
    // What the loops below end by.
    if (from[rowEnd - 1] !== lineFeed) throw malformed();
    const to = block;
    let at = o;
    let p = start;
    for (let column = 0; column < columns; column++) {
      const fieldStart = at;
      let byte = from[p++] as number;
      if (kinds[column] === kind.raw) {
        while (byte !== tab && byte !== lineFeed) {
          to[at++] = byte;
          byte = from[p++] as number;
        }
      } else {
        while (byte !== tab && byte !== lineFeed) {
          to[at++] = byte;
          if (byte === backslash) {
            byte = from[p++] as number;
            // It would lead beyond the row, and beyond what stops the loop.
            if (byte === lineFeed) throw malformed();
            const plain = decoded[byte] as number;
            if (plain === 0) to[at++] = byte;
            else to[at - 1] = plain;
          }
          byte = from[p++] as number;
        }
        const end = ends[column];
        if (end !== undefined) at = end(to, fieldStart, at);
      }
      if ((column === columns - 1) !== (byte === lineFeed)) throw malformed();
      to[at++] = byte;
    }
    if (p !== rowEnd) throw malformed();
    o = at;
    rows++;
  };

  const take = (from: Buffer, start: number, end: number): number => {
    let p = start;
    for (;;) {
      if (long.active) {
        p = long.take(from, p, end, discarding);
        if (long.active) break;
        rows++;
        continue;
      }
      if (end - p < header || from[p] !== copyData) break;
      const length = bodyOf(from.readInt32BE(p + 1));
      if (length > fits) {
        bytes += length;
        long.start(length);
        p += header;
        continue;
      }
      const rowEnd = p + header + length;
      if (rowEnd > end) break;
      bytes += length;
      if (!discarding) {
        if (o + length + columns > blockBytes) {
          block = out.flush(block, o);
          o = blockStart;
        }
        encode(from, p + header, rowEnd);
      }
      p = rowEnd;
    }
    lookForBroken();
    return p;
  };

  return {
    take,
    get within() {
      return long.active;
    },
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
    get broken() {
      return isBroken;
    },
    findings,
    discard() {
      discarding = true;
    },
    get discarded() {
      return discarding;
    },
    finish() {
      if (o > blockStart) block = out.flush(block, o);
      out.spare(block);
    },
  };
}

/** Of a message with at least the end of a row; its length counts itself. */
function bodyOf(length: number): number {
  if (length < 5) throw malformed();
  return length - 4;
}

const malformed = () =>
  new EngineError("protocol_error", "a row of the source has not the columns that were requested");
