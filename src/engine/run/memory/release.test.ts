import { getHeapStatistics } from "node:v8";
import { expect, test } from "vitest";
import { releaseMemory } from "./release.ts";

const MiB = 1 << 20;
const heap = () => getHeapStatistics().total_heap_size;

test("what is no longer used goes back to the system", async () => {
  const before = heap();
  let kept: unknown[] = Array.from({ length: 1_000_000 }, (_, at) => ({ at, name: `name ${at}` }));
  const full = heap();
  expect(kept.length).toBe(1_000_000);
  expect(full - before).toBeGreaterThan(50 * MiB);
  kept = [];
  await releaseMemory();
  expect(heap()).toBeLessThan(full - 50 * MiB);
});
