import { describe, expect, test } from "vitest";
import { type MemoryDirection, misfit, neededMemory } from "./need.ts";

const MiB = 1 << 20;
/** As the chart sets them. */
const chart = { heap: 144 * MiB, container: 256 * MiB };
const directions: MemoryDirection[] = ["mysql-mysql", "mysql-postgres", "postgres-mysql", "postgres-postgres"];

describe.each(directions)("%s", (direction) => {
  test("ten thousand tables fit into the chart's heap and container", () => {
    const counted = { tables: 10_000, columns: 50_000 };
    expect(misfit(counted, neededMemory(direction, counted), chart)).toBeUndefined();
  });

  test("a hundred thousand tables do not, and the fix names the values that fit", () => {
    const counted = { tables: 100_000, columns: 1_000_000 };
    const need = neededMemory(direction, counted);
    const found = misfit(counted, need, chart);
    expect(found?.reason).toContain("100,000 tables and views with 1,000,000 columns");
    expect(found?.reason).toContain("the worker's limit is 144 MB");
    expect(found?.fix).toContain(`--max-old-space-size=${need.heap / MiB} in worker.command`);
    expect(found?.fix).toContain(`worker.resources.limits.memory to ${need.container / MiB}Mi`);
    expect(misfit(counted, need, need)).toBeUndefined();
  });

  test("few tables of very many columns count too", () => {
    const counted = { tables: 500, columns: 500 * 1_500 };
    const found = misfit(counted, neededMemory(direction, counted), chart);
    expect(found?.reason).toContain("500 tables and views with 750,000 columns");
  });

  test("the container has room for the heap and what is beside it, or it is what is named", () => {
    const counted = { tables: 20_000, columns: 100_000 };
    const need = neededMemory(direction, counted);
    expect(need.container - need.heap).toBeGreaterThanOrEqual(120 * MiB);
    const found = misfit(counted, need, { heap: need.heap, container: 256 * MiB });
    expect(found?.reason).toMatch(/needs a container of \d+ MB, and the worker's limit is 256 MB/);
    expect(misfit(counted, need, { heap: need.heap })).toBeUndefined();
  });
});
