import { describe, expect, it } from "vitest";
import type { DataTable } from "../catalogue/tables.ts";
import { copiesBinary, planParts } from "./parts.ts";

const megabyte = 1024 * 1024;
const table = (change: Partial<DataTable> = {}): DataTable => ({
  oid: 1,
  schema: "s",
  name: 't"',
  columns: [{ name: "a", type: "integer", base: "integer", binary: "int4", notNull: false, labels: null }],
  bare: true,
  bytes: 0,
  pages: 0,
  rows: 0,
  heap: true,
  extension: undefined,
  ...change,
});
const options = { jobs: 4, version: 180_000, encodings: { source: "UTF8", target: "UTF8" } };
const large = { bytes: 1024 * megabyte, pages: 100_003 };

describe("the parts of a table", () => {
  it("are one for a small table, read by name, so that its children are not", () => {
    expect(planParts(table(), options)).toMatchObject([
      {
        name: 's.t"',
        out: 'COPY "s"."t""" ("a") TO STDOUT (FORMAT binary)',
        into: 'COPY "s"."t""" ("a") FROM STDIN (FORMAT binary)',
      },
    ]);
  });

  it("meet without gap or overlap, the first and the last being open", () => {
    const parts = planParts(table(large), options);
    expect(parts.length).toBe(4);
    const bounds = parts.map(({ out }) =>
      [...out.matchAll(/ctid (>=|<) '\((\d+),0\)'/g)].map(([, sign, page]) => [sign, Number(page)]),
    );
    expect(bounds[0]).toMatchObject([["<", expect.any(Number)]]);
    expect(bounds.at(-1)).toMatchObject([[">=", expect.any(Number)]]);
    for (let i = 1; i < parts.length; i++) {
      const end = bounds[i - 1]?.find(([sign]) => sign === "<")?.[1];
      expect(bounds[i]?.find(([sign]) => sign === ">=")?.[1]).toBe(end);
    }
    expect(parts.every(({ out }) => out.includes("FROM ONLY"))).toBe(true);
  });

  it.each([
    ["one stream", {}, { jobs: 1 }],
    ["a server that cannot read a range of pages", {}, { version: 130_000 }],
    ["another storage than the heap", { heap: false }, {}],
    ["an extension's rows", { extension: { name: "e", condition: "WHERE mine" } }, {}],
  ])("are one for %s", (_, change, option) => {
    expect(planParts(table({ ...large, ...change }), { ...options, ...option })).toHaveLength(1);
  });

  it("take an extension's condition along", () => {
    const [part] = planParts(table({ extension: { name: "e", condition: "WHERE mine" } }), options);
    expect(part?.out).toBe('COPY (SELECT "a" FROM ONLY "s"."t""" WHERE mine) TO STDOUT (FORMAT binary)');
  });

  it("name no columns where there are none", () => {
    expect(planParts(table({ columns: [] }), options)[0]?.out).toBe(
      `COPY "s"."t""" TO STDOUT (FORMAT text, ENCODING 'UTF8')`,
    );
  });
});

describe("the binary form", () => {
  const column = (binary: string | undefined) => ({
    columns: [{ name: "a", type: "", base: "", binary, notNull: false, labels: null }],
    extension: undefined,
  });
  it.each([
    ["int4", true],
    ["_text", true],
    ["enum", true],
    ["regclass", false],
    ["_regclass", false],
    ["record", false],
    [undefined, false],
  ])("of %s is used: %s", (type, used) => {
    expect(copiesBinary(column(type), options)).toBe(used);
  });
  it("is not used across encodings", () => {
    expect(copiesBinary(column("text"), { encodings: { source: "LATIN1", target: "UTF8" } })).toBe(false);
  });
});
