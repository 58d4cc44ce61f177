import { expect, it } from "vitest";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import { foldTrees } from "./loaded-tables.ts";

it("a tree with a partition that is not copied is loaded partition by partition", () => {
  const table = (oid: number, name: string): DataTable => ({
    ...{ oid, schema: "public", name, columns: [], bare: true, bytes: 8, pages: 1, rows: 2, heap: true },
    extension: undefined,
  });
  const leaf = (oid: number, name: string) => ({ oid, schema: "public", name });
  const tree = { oid: 9, schema: "public", name: "t", leaves: [leaf(1, "a"), leaf(2, "b")] };
  const tables = [table(1, "a"), table(2, "b"), table(3, "c")];
  expect(foldTrees(tables, [tree]).map(({ name, bytes, rows }) => [name, bytes, rows])).toEqual([
    ["t", 16, 4],
    ["c", 8, 2],
  ]);
  expect(foldTrees(tables.slice(1), [tree])).toEqual(tables.slice(1));
});
