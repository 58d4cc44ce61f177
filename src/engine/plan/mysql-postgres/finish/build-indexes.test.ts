import { expect, test } from "vitest";
import type { TablePlan } from "../tables/table-plan.ts";
import { buildIndexes } from "./build-indexes.ts";
import type { Finishing } from "./finishing-run.ts";

/** A target that answers CREATE INDEX by an error of that SQLSTATE. */
function refusing(code: string) {
  const warnings: string[] = [];
  const session = {
    run: async (sql: string) => {
      if (sql.includes("CREATE INDEX")) throw Object.assign(new Error("refused"), { code, severity: "ERROR" });
    },
  };
  const finishing = {
    sessions: { use: (work: (one: unknown) => unknown) => work(session) },
    fence: { guard: async () => undefined, identify: async () => undefined },
    jobs: 2,
    inventory: [],
    warn: (words: string) => warnings.push(words),
  } as unknown as Finishing;
  return { finishing, warnings };
}

const plan = (unique: boolean) =>
  ({
    source: { name: "t", dataBytes: 0, columns: [] },
    indexes: [{ source: { name: "i", unique, parts: [] }, create: "CREATE INDEX i ON t ((1 / a))" }],
  }) as unknown as TablePlan;

test.each([
  ["a value without a result", "22012"],
  ["a function that is not immutable", "42P17"],
  ["what the server does not have", "0A000"],
  ["a key too long for a page", "54000"],
])("an index that PostgreSQL refuses for %s is reported, and the run goes on", async (_, code) => {
  const { finishing, warnings } = refusing(code);
  expect(await buildIndexes(finishing, plan(true))).toEqual([]);
  expect(finishing.inventory).toMatchObject([{ kind: "index", name: "t.i", outcome: "reported" }]);
  expect(warnings[0]).toContain("the target does not refuse doubled values");
});

test("with on_object_error fail it ends the run", async () => {
  const { finishing } = refusing("54000");
  await expect(buildIndexes({ ...finishing, strict: true }, plan(false))).rejects.toMatchObject({
    code: "schema_refused",
    message: "making index t.i: refused",
  });
});

test.each([
  ["doubled values", "23505", "duplicate_key"],
  ["missing rights", "42501", "42501"],
  ["a full disk", "53100", "53100"],
])("%s fail the run", async (_, code, expected) => {
  const { finishing } = refusing(code);
  await expect(buildIndexes(finishing, plan(true))).rejects.toMatchObject({ code: expected });
  expect(finishing.inventory).toEqual([]);
});
