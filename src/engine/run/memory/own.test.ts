import { expect, test } from "vitest";
import { ownContainer, ownHeap } from "./own.ts";

const MiB = 1 << 20;

test("the heap is what --max-old-space-size says, the last of several", () => {
  expect(ownHeap(["--max-old-space-size=96", "--max-semi-space-size=8"], 120 * MiB)).toBe(96 * MiB);
  expect(ownHeap(["--max_old_space_size=96", "x", "--max-old-space-size=300"], 0)).toBe(300 * MiB);
});

test("without the flag it is V8's limit less the space of young objects", () => {
  expect(ownHeap([], 4288 * MiB)).toBe(4096 * MiB);
  expect(ownHeap(["--max-old-space-size=x"], 200 * MiB)).toBe(100 * MiB);
});

test("a container's limit is known where there is one", () => {
  expect(ownContainer(256 * MiB, 1024 * MiB)).toBe(256 * MiB);
  expect(ownContainer(0, 1024 * MiB)).toBeUndefined();
  expect(ownContainer(2 ** 53, 1024 * MiB)).toBeUndefined();
});
