import { expect, test } from "vitest";
import { EngineError } from "../../../contract/index.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { buildIndexes } from "./create-tables.ts";

test.each([
  ["data_refused", "duplicate_key", "table t: a unique index cannot be built: words"],
  ["database_error", "database_error", "indexes of table t: words"],
  ["disk_full", "disk_full", "words"],
] as const)("an index that ends with %s ends the run with %s", async (said, code, message) => {
  const run = async () => {
    throw new EngineError(said, "words");
  };
  const fence = { guard: async () => undefined } as unknown as MysqlFence;
  const plan = { name: "t", source: { name: "t" }, later: [["UNIQUE KEY `n` (`n`)"]] } as unknown as TablePlan;
  const built = buildIndexes({ run } as unknown as Session, fence, "d", plan, false);
  await expect(built).rejects.toMatchObject({ code, message });
});
