import { deepStrictEqual } from "node:assert/strict";
import { fullPacket } from "../../../../src/engine/mysql/driver/wire.ts";
import { type BinaryField, sizeOf } from "../../../../src/engine/rows/mysql-to-copy/binary-fields.ts";
import { blockStart } from "../../../../src/engine/rows/mysql-to-copy/blocks.ts";
import type { MysqlToCopyEncoder } from "../../../../src/engine/rows/mysql-to-copy/encoder.ts";
import { type Blocks, blockBytes } from "../../../../src/engine/run/memory/block-pool.ts";

/** What the tests of both row formats share: a server's packets, a target's blocks, bytes that come in pieces. */

/** A field's length as a server writes it. */
export function lengthOf(size: number): Buffer {
  if (size < 0xfb) return Buffer.from([size]);
  const head = Buffer.alloc(size < 0x10000 ? 3 : size < 0x1000000 ? 4 : 9);
  head[0] = size < 0x10000 ? 0xfc : size < 0x1000000 ? 0xfd : 0xfe;
  head.writeUIntLE(size, 1, Math.min(6, head.length - 1));
  return head;
}
/** A row of the text protocol. */
export const payload = (row: readonly (Buffer | null)[]): Buffer =>
  Buffer.concat(row.flatMap((field) => (field === null ? [Buffer.from([0xfb])] : [lengthOf(field.length), field])));

/** A row cut into packets. */
export function packets(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; at += fullPacket) {
    const part = bytes.subarray(at, at + fullPacket);
    const head = Buffer.alloc(4);
    head.writeUIntLE(part.length, 0, 3);
    parts.push(head, part);
    if (part.length < fullPacket) return Buffer.concat(parts);
  }
}
export const end = Buffer.from([5, 0, 0, 9, 0xfe, 0, 0, 2, 0]);

/** Takes what is written and checks each CopyData message. */
export function collect(): Blocks & { bytes(): Buffer; largest: number } {
  const written: Buffer[] = [];
  const blocks = {
    largest: 0,
    first: () => Buffer.allocUnsafe(blockBytes),
    flush(block: Buffer, to: number) {
      deepStrictEqual(to <= blockBytes, true);
      written.push(Buffer.from(block.subarray(blockStart, to)));
      blocks.largest = Math.max(blocks.largest, to);
      return block;
    },
    room: () => undefined,
    spare: () => undefined,
    bytes: () => Buffer.concat(written),
  };
  return blocks;
}

/** Feeds `input` in pieces through a buffer of which only the unread tail is kept, as the connection does. */
export function feed(make: (out: Blocks) => MysqlToCopyEncoder, input: Buffer, piece: () => number) {
  const blocks = collect();
  const encoder = make(blocks);
  let tail = Buffer.alloc(0);
  for (let at = 0; at < input.length; ) {
    const size = piece();
    const buffer = Buffer.concat([tail, input.subarray(at, at + size)]);
    at += size;
    const stopped = encoder.take(buffer, 0, buffer.length);
    tail = Buffer.from(buffer.subarray(stopped));
    // What was read may be overwritten at once.
    buffer.fill(0xee);
  }
  deepStrictEqual(encoder.ended, true);
  deepStrictEqual(tail, end);
  encoder.finish();
  return { encoder, sent: blocks.bytes() };
}

/** Numbers in [0, 1), the same for a seed. */
export function randomly(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function bytesOf(size: number, next: () => number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++) bytes[at] = next();
  return bytes;
}

/** A row of the binary protocol. */
export function binaryPayload(fields: readonly BinaryField[], row: readonly (Buffer | null)[]): Buffer {
  const bitmap = Buffer.alloc((row.length + 9) >> 3);
  const values = row.flatMap((value, column) => {
    if (value === null) {
      const bit = column + 2;
      bitmap[bit >> 3] = (bitmap[bit >> 3] as number) | (1 << (bit & 7));
      return [];
    }
    const size = sizeOf((fields[column] as BinaryField).op);
    return size > 0 ? [value] : [size < 0 ? Buffer.from([value.length]) : lengthOf(value.length), value];
  });
  return Buffer.concat([Buffer.from([0]), bitmap, ...values]);
}

/** Rows of COPY text as it is read: undefined for NULL. */
export function readText(sent: Buffer): (string | undefined)[][] {
  const letters: Record<string, string> = { b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", "\\": "\\" };
  const lines = sent.toString("latin1").split("\n");
  deepStrictEqual(lines.pop(), "");
  return lines.map((line) =>
    line
      .split("\t")
      .map((field) =>
        field === "\\N" ? undefined : field.replace(/\\(.)/g, (_, letter: string) => letters[letter] as string),
      ),
  );
}

/** Rows of COPY's binary format: undefined for NULL. */
export function readBinary(sent: Buffer): (Buffer | undefined)[][] {
  deepStrictEqual(sent.subarray(0, 19).toString("latin1"), `PGCOPY\n\xff\r\n\0${"\0".repeat(8)}`);
  const rows: (Buffer | undefined)[][] = [];
  for (let at = 19; ; ) {
    const columns = sent.readInt16BE(at);
    at += 2;
    if (columns === -1) {
      deepStrictEqual(at, sent.length);
      return rows;
    }
    rows.push(
      Array.from({ length: columns }, () => {
        const size = sent.readInt32BE(at);
        at += 4;
        if (size < 0) return undefined;
        at += size;
        return sent.subarray(at - size, at);
      }),
    );
  }
}
