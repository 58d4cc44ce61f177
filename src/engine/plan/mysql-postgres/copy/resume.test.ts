import { expect, test } from "vitest";
import type { TablePlan } from "../tables/table-plan.ts";
import { candidates, type FinishedTable, tablePlanDigest } from "./resume.ts";

const planOf = (name: string, create = `CREATE TABLE ${name} ()`): TablePlan =>
  ({
    source: { name },
    create: [create],
    select: "",
    copy: "",
    fields: [],
    indexes: [],
    checks: [],
    after: [],
  }) as unknown as TablePlan;
const finishedBy = (...plans: TablePlan[]): Map<string, FinishedTable> =>
  new Map(
    plans.map((plan) => {
      const { name } = plan.source;
      return [name, { table: name, digest: tablePlanDigest(plan), observedTypes: {}, warnings: [], inventory: [] }];
    }),
  );
const namesOf = (plans: readonly TablePlan[]) => plans.map(({ source }) => source.name);

const [a, b, c] = [planOf("a"), planOf("b"), planOf("c")];

test("tables that an earlier attempt finished under the same plan may be kept", () => {
  expect(namesOf(candidates([a, b, c], finishedBy(a, c), [["a"], ["b"], ["c"]]))).toEqual(["a", "c"]);
});

test("a table that an earlier attempt finished under another plan is copied again", () => {
  const before = planOf("a", "CREATE TABLE a (before int)");
  expect(namesOf(candidates([a, b], finishedBy(before, b), [["a"], ["b"]]))).toEqual(["b"]);
});

test("a table is kept only with all whose types are decided with its own", () => {
  expect(namesOf(candidates([a, b, c], finishedBy(a, c), [["a", "b"], ["c"]]))).toEqual(["c"]);
});
