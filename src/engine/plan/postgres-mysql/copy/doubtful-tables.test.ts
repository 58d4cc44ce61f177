import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { map } from "../../../run/memory/iterators.ts";
import { setsOf } from "../columns/narrowing.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { doubtfulTables } from "./doubtful-tables.ts";

const MiB = 2 ** 20;
const tables = 200;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("plans of tables are looked at one by one, and none is kept", () => {
  collect();
  const before = process.memoryUsage().heapUsed;
  let made = 0;
  let most = 0;
  const state = {
    kept: undefined,
    rows: { bytes: 0, rows: 0, heaps: [], relations: [], parts: [] },
    /** Of some 400 KB. */
    get plan() {
      if (++made % 50 === 0) {
        collect();
        most = Math.max(most, process.memoryUsage().heapUsed - before);
      }
      const plan = { doubts: [], loaded: [], lines: Array.from({ length: 50_000 }, () => made) };
      return plan as unknown as TablePlan;
    },
  };
  const states = Array.from({ length: tables }, () => state);
  expect(setsOf(map(states, ({ plan }) => plan))).toEqual([]);
  expect(doubtfulTables(states, new Map(), "UTF8")).toEqual([]);
  expect(made).toBe(2 * tables);
  expect(most / MiB).toBeLessThan(8);
});
