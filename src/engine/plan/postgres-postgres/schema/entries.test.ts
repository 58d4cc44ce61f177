import { describe, expect, it } from "vitest";
import type { MadeObject } from "../../../contract/index.ts";
import type { Address } from "../../../postgres/catalogue/address.ts";
import type { DumpEntry } from "../../../postgres/dump/archive.ts";
import { firstStatementEnd, ownerStatement, stepsOf } from "./entries.ts";

const entry = (change: Partial<DumpEntry>): DumpEntry => ({
  id: 1,
  catalog: 0,
  oid: 0,
  kind: "TABLE",
  tag: "t",
  section: "pre-data",
  create: "CREATE …;\n",
  drop: "",
  schema: "s",
  tablespace: "",
  accessMethod: "",
  owner: "o",
  needs: [],
  ...change,
});
const made = (change: Partial<DumpEntry>, address?: Address) =>
  stepsOf([entry({ catalog: 1, oid: 2, ...change })], new Map(address === undefined ? [] : [["1:2", address]]))[0]
    ?.made;

describe("an entry of pg_dump's list", () => {
  it.each<[string, Partial<DumpEntry>, Address | undefined, MadeObject | undefined]>([
    ["a table", { tag: 'we"ird;' }, undefined, { kind: "table", name: ["s", 'we"ird;'] }],
    ["a schema", { kind: "SCHEMA", tag: "a", schema: undefined }, undefined, { kind: "schema", name: ["a"] }],
    [
      "a function",
      { kind: "FUNCTION", drop: 'DROP FUNCTION "s"."f"("x" integer);\n' },
      { type: "function", names: ["s", "f"], args: ["integer"] },
      { kind: "function", name: ["s", "f", "integer"] },
    ],
    [
      "a key",
      { kind: "CONSTRAINT", drop: 'ALTER TABLE ONLY "s"."t" DROP CONSTRAINT "k""1";\n' },
      { type: "table constraint", names: ["s", "t", 'k"1'], args: [] },
      { kind: "constraint", name: ["s", "t", 'k"1'] },
    ],
    [
      "an operator",
      { kind: "OPERATOR", drop: 'DROP OPERATOR "s".+ (integer, integer);\n' },
      { type: "operator", names: ["s", "+"], args: ["integer", "integer"] },
      { kind: "operator", name: ["s", "+", "integer", "integer"] },
    ],
    [
      "a user mapping, which has no oid in the list",
      { kind: "USER MAPPING", catalog: 0, oid: 0, drop: 'DROP USER MAPPING IF EXISTS FOR "lo""w" SERVER "sv";\n' },
      undefined,
      { kind: "user mapping", name: ['lo"w', "sv"] },
    ],
    ["a comment, which goes with its object", { kind: "COMMENT", tag: 'TABLE "t"' }, undefined, undefined],
    [
      "a view's later rule, which goes with the view",
      { kind: "RULE", tag: "v _RETURN", drop: "CREATE OR REPLACE VIEW …" },
      { type: "rule", names: ["s", "v", "_RETURN"], args: [] },
      undefined,
    ],
  ])("makes %s, by its address", (_, change, address, object) => {
    expect(made(change, address)).toEqual(object);
  });

  it("is given to its stage, a comment to the one it stands in", () => {
    const stages = stepsOf(
      [
        entry({ kind: "ENCODING" }),
        entry({ kind: "TABLE" }),
        entry({ kind: "COMMENT", section: "none", tag: "TABLE t" }),
        entry({ kind: "INDEX", section: "post-data" }),
        entry({ kind: "COMMENT", section: "none", tag: "INDEX i" }),
        entry({ kind: "ACL", section: "none", tag: "TABLE t" }),
        entry({ kind: "ACL", section: "none", tag: "DATABASE d" }),
        entry({ kind: "EVENT TRIGGER", section: "post-data" }),
        entry({ kind: "MATERIALIZED VIEW DATA", section: "post-data" }),
        entry({ kind: "COMMENT", section: "none", tag: 'EVENT TRIGGER "e"' }),
      ],
      new Map(),
    ).map(({ stage }) => stage);
    expect(stages).toEqual([
      "never",
      "before",
      "before",
      "after",
      "after",
      "rights",
      "never",
      "watching",
      "filling",
      "watching",
    ]);
  });

  it("gives what it makes to its owner", () => {
    expect(ownerStatement(entry({ kind: "VIEW", owner: 'o"x' }))).toBe('ALTER VIEW "s"."t" OWNER TO "o""x"');
    expect(ownerStatement(entry({ kind: "FUNCTION", drop: 'DROP FUNCTION "s"."f"(integer);\n' }))).toBe(
      'ALTER FUNCTION "s"."f"(integer) OWNER TO "o"',
    );
    expect(ownerStatement(entry({ kind: "INDEX" }))).toBeUndefined();
  });
});

describe("the end of a first statement", () => {
  it.each([
    ["a;b", 1],
    ['a ";" b;c', 7],
    ['a "x"";" b;c', 10],
    ["a ';' b;c", 7],
    ["a E'\\';' b;c", 10],
    ["a ''';' b;c", 9],
    ["no end", 6],
  ])("in %s is at %i", (text, end) => {
    expect(firstStatementEnd(text)).toBe(end);
  });
});
