import { expect, test } from "vitest";
import type { ColumnType } from "./checksum/types.ts";
import { pairTables, type SideTables } from "./pairs.ts";
import type { OpenedTable } from "./sides.ts";

const type = { engine: "postgres", name: "int4" } as ColumnType;

const table = (
  schema: string,
  name: string,
  columns: string[] = ["id"],
  more: Partial<OpenedTable> = {},
): OpenedTable => ({
  name: [schema, name],
  part: false,
  partitioned: false,
  type: {
    columns: new Map(columns.map((column) => [column, type])),
    key: undefined,
    rows: 0,
    partitioned: false,
    lockable: false,
  },
  ...more,
});

const side = (engine: "mysql" | "postgres", tables: OpenedTable[], exact = true): SideTables => ({
  engine,
  database: "shop",
  exact,
  tables,
});

const names = ({ pairs }: ReturnType<typeof pairTables>) =>
  pairs.map((pair) => [pair.source[1], pair.target.join(".")]);

test("a MySQL database's tables are those of public, or of the schema that the option names", () => {
  const source = side("mysql", [table("shop", "a"), table("shop", "b")]);
  const target = side("postgres", [table("public", "a"), table("other", "b")]);
  expect(names(pairTables(source, target, undefined))).toEqual([["a", "public.a"]]);
  expect(pairTables(source, target, undefined)).toMatchObject({ missing: [["shop", "b"]], extra: [["other", "b"]] });
  expect(names(pairTables(source, target, { shop: "other" }))).toEqual([["b", "other.b"]]);
});

test("PostgreSQL's schemas are prefixes in MySQL, and a partitioned table is one", () => {
  const source = side("postgres", [
    table("public", "a"),
    table("sales", "a"),
    table("sales", "p", ["id"], { partitioned: true }),
    table("sales", "p_1", ["id"], { part: true }),
  ]);
  const target = side("mysql", [table("shop", "a"), table("shop", "sales_a"), table("shop", "sales_p")], false);
  expect(names(pairTables(source, target, undefined))).toEqual([
    ["a", "shop.a"],
    ["a", "shop.sales_a"],
    ["p", "shop.sales_p"],
  ]);
});

test("a table without columns is not looked for in MySQL, which has none, but in PostgreSQL", () => {
  const source = side("postgres", [table("public", "a", []), table("public", "b")]);
  const target = (engine: "mysql" | "postgres") => pairTables(source, side(engine, []), undefined).missing;
  expect(target("mysql")).toEqual([["public", "b"]]);
  expect(target("postgres")).toHaveLength(2);
});

test("between PostgreSQL's each partition is compared by itself", () => {
  const tables = [table("s", "p", ["id"], { partitioned: true }), table("s", "p_1", ["id"], { part: true })];
  expect(names(pairTables(side("postgres", tables), side("postgres", tables), undefined))).toEqual([["p_1", "s.p_1"]]);
});

test("columns are paired by the names that the copy gives them, and what is lacking is named", () => {
  const source = side("mysql", [table("shop", "a", ["id", "ctid", "gone"])]);
  const renamed = pairTables(source, side("postgres", [table("public", "a", ["id", "ctid_"])]), undefined);
  expect(renamed.columns).toEqual(["shop.a.ctid", "shop.a.gone"]);
  expect(renamed.pairs[0]?.columns).toEqual([{ source: "id", target: "id" }]);
});

test("where prefixes make names alike, public keeps its own, as in the copy", () => {
  const source = side("postgres", [table("archive", "a"), table("public", "a")]);
  const copied = [table("shop", "a"), table("shop", "a_")];
  const paired = pairTables(source, side("mysql", copied), { archive: "", public: "" });
  expect(paired.pairs.map((pair) => [pair.source[0], pair.target[1]])).toEqual([["public", "a"]]);
  expect(paired.missing).toEqual([["archive", "a"]]);
});
