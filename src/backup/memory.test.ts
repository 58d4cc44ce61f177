import { expect, test } from "vitest";
import { release } from "./memory.ts";

test("a piece that is all of its buffer is freed, also one as large as the buffer that Node cuts small ones from", () => {
  const piece = new Uint8Array(Buffer.poolSize);
  release(piece);
  expect(piece.buffer.byteLength).toBe(0);
});

test("the last piece of a large buffer frees it, one before does not", () => {
  const buffer = new ArrayBuffer(Buffer.poolSize * 2);
  const [first, last] = [new Uint8Array(buffer, 0, Buffer.poolSize), new Uint8Array(buffer, Buffer.poolSize)];
  release(first);
  expect(buffer.byteLength).toBe(Buffer.poolSize * 2);
  release(last);
  expect(buffer.byteLength).toBe(0);
});

test("a small piece that others share their buffer with is kept, as the last of it too", () => {
  const buffer = new ArrayBuffer(Buffer.poolSize);
  release(new Uint8Array(buffer, Buffer.poolSize - 8));
  expect(buffer.byteLength).toBe(Buffer.poolSize);
});
