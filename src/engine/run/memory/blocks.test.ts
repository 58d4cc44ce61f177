import { expect, test } from "vitest";
import { createBlocks } from "./blocks.ts";

test("copies stand together, also those that are larger than a block", () => {
  const kept = createBlocks();
  const sizes = [3, 0, 200_000, 100_000, 700_000, 5];
  const copies = sizes.map((size, at) => {
    const bytes = Buffer.alloc(size, at + 1);
    const copy = kept(bytes);
    bytes.fill(0);
    return copy;
  });
  copies.forEach((copy, at) => {
    expect(copy.equals(Buffer.alloc(sizes[at] ?? 0, at + 1))).toBe(true);
  });
  expect(new Set(copies.slice(0, 3).map(({ buffer }) => buffer)).size).toBe(1);
});
