import { expect, test } from "vitest";
import { compareFound } from "./found.ts";
import type { InventoryObject } from "./inventory.ts";

test("an index is found by the name that a copy gives it, whatever stands in the name", () => {
  const expression = (name: string): InventoryObject => ({ kind: "index", name, of: ["s", "t"], unique: true });
  const targetName = "t_a; as b may be refused";
  const { inventory, different } = compareFound(
    [expression("a; as b may be refused")],
    [expression(targetName)],
    new Map(),
    {
      ...{ outcome: "converted", prefixes: [], sequences: true },
      planned: ({ kind, name }) => ({ kind, name, outcome: "converted", note: `as ${targetName}`, targetName }),
    },
  );
  expect(different).toBe(0);
  expect(inventory).toEqual([{ kind: "index", name: "s.t.a; as b may be refused", outcome: "converted" }]);
});
