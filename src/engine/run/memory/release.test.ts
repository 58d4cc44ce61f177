import { getHeapStatistics } from "node:v8";
import { expect, test } from "vitest";
import { releaseMemory } from "./release.ts";

const MiB = 1 << 20;
const heap = () => getHeapStatistics().total_heap_size;

test("what is no longer used goes back to the system", async () => {
  // Else there may be room in the heap for what follows.
  await releaseMemory();
  const before = heap();
  let kept: unknown[] = Array.from({ length: 2_000_000 }, (_, at) => ({ at, name: `name ${at}` }));
  const full = heap();
  expect(kept.length).toBe(2_000_000);
  expect(full - before).toBeGreaterThan(50 * MiB);
  kept = [];
  await releaseMemory();
  expect(heap()).toBeLessThan(full - 50 * MiB);
});
