import { describe, expect, it } from "vitest";
import type { Entry } from "./archive.ts";
import { dropStatement } from "./drop.ts";
import { firstStatementEnd, ownerStatement, stepsOf } from "./entries.ts";

const entry = (change: Partial<Entry>): Entry => ({
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
const made = (change: Partial<Entry>) => stepsOf([entry(change)])[0]?.made;

describe("an entry of pg_dump's list", () => {
  it.each<[string, Partial<Entry>, string | undefined]>([
    ["a table", { tag: 'we"ird;' }, 'DROP TABLE IF EXISTS "s"."we""ird;"'],
    ["a schema", { kind: "SCHEMA", tag: "a", schema: undefined }, 'DROP SCHEMA IF EXISTS "a"'],
    [
      "a function",
      { kind: "FUNCTION", tag: "f(integer)", drop: 'DROP FUNCTION "s"."f"("x" integer, OUT "y;" text);\n' },
      'DROP FUNCTION IF EXISTS "s"."f" ("x" integer, OUT "y;" text)',
    ],
    [
      "a key",
      { kind: "CONSTRAINT", tag: "t k", drop: 'ALTER TABLE ONLY "s"."t" DROP CONSTRAINT "k""1";\n' },
      'ALTER TABLE IF EXISTS "s"."t" DROP CONSTRAINT IF EXISTS "k""1"',
    ],
    [
      "a trigger",
      { kind: "TRIGGER", tag: "t tr", drop: 'DROP TRIGGER "tr" ON "s"."t";\n' },
      'DROP TRIGGER IF EXISTS "tr" ON "s"."t"',
    ],
    [
      "an operator",
      { kind: "OPERATOR", tag: "+", drop: 'DROP OPERATOR "s".+ (integer, integer);\n' },
      'DROP OPERATOR "s".+ (integer, integer)',
    ],
    [
      "a default",
      { kind: "DEFAULT", tag: "t c", drop: 'ALTER TABLE "s"."t" ALTER COLUMN "c" DROP DEFAULT;\n' },
      'ALTER TABLE IF EXISTS "s"."t" ALTER COLUMN "c" DROP DEFAULT',
    ],
    ["a comment, which goes with its object", { kind: "COMMENT", tag: 'TABLE "t"' }, undefined],
    [
      "a view's later rule, which goes with the view",
      { kind: "RULE", tag: "v _RETURN", drop: "CREATE OR REPLACE VIEW …" },
      undefined,
    ],
  ])("knows how to drop %s", (_, change, statement) => {
    const object = made(change);
    expect(object && dropStatement(object)).toBe(statement);
  });

  it("is given to its stage, a comment to the one it stands in", () => {
    const stages = stepsOf([
      entry({ kind: "ENCODING" }),
      entry({ kind: "TABLE" }),
      entry({ kind: "COMMENT", section: "none", tag: "TABLE t" }),
      entry({ kind: "INDEX", section: "post-data" }),
      entry({ kind: "COMMENT", section: "none", tag: "INDEX i" }),
      entry({ kind: "ACL", section: "none", tag: "TABLE t" }),
      entry({ kind: "ACL", section: "none", tag: "DATABASE d" }),
      entry({ kind: "MATERIALIZED VIEW DATA", section: "post-data" }),
    ]).map(({ stage }) => stage);
    expect(stages).toEqual(["never", "before", "before", "after", "after", "rights", "never", "last"]);
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
