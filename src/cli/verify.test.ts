import { expect, it } from "vitest";
import { bare, call, report } from "../../test/support/cli/call.ts";
import type { VerifyReport } from "../engine/verify/index.ts";

const found = (differing: number, rows: { source: number; target: number }): VerifyReport => {
  const { started_at, finished_at } = report;
  const source = { engine: "MySQL", version: "9.7.1" } as const;
  const target = { engine: "PostgreSQL", version: "18.6" } as const;
  const one = { source: "shop.t", target: "public.t", rows };
  return {
    ...{ source, target, started_at, finished_at, equal: false, tables: [one], missing: [], extra: [] },
    verification: {
      ...{ level: "checksum", rows: rows.source, tables: 1, uncompared: [] },
      differences: [{ ...one, keys: [{ key: '{"id":"1"}', what: "different" }], differing }],
    },
    ...{ inventory: [], warnings: [] },
    objects: {
      by: "name",
      compared: 1,
      different: 0,
      undecided: [],
      not_compared: ["1 trigger (t.trg): only the name was compared"],
      notes: [],
    },
  };
};

it.each([
  [
    1,
    { source: 1, target: 0 },
    "1 row differs; 1 row in the source, 0 in the target",
    "1 row in 1 table, and 1 object",
  ],
  [
    2,
    { source: 12_000, target: 3 },
    "2 rows differ; 12,000 rows in the source",
    "12,000 rows in 1 table, and 1 object",
  ],
])("%d differing rows are told with the right number of the noun", async (differing, rows, difference, verdict) => {
  const stuck = { verify: async () => found(differing, rows) };
  const { code, stdout } = await call(["verify", ...bare], { stuck });
  expect(code).toBe(3);
  expect(stdout).toContain(difference);
  expect(stdout).toContain(verdict);
  expect(stdout).toContain(
    "  1 kind of objects compared by name only, or not at all:\n    1 trigger (t.trg): only the name was compared\n",
  );
});
