import { expect, test } from "vitest";
import type { Assessment } from "../engine/assess/index.ts";
import { assessmentText } from "./assess-text.ts";

const found: Assessment = {
  type: "conversion",
  assessedAt: "2026-11-21T00:00:00.000Z",
  ready: false,
  source: { engine: "MySQL", version: "9.7.4", size: 6_700_000, tables: 16, rows: 46_603 },
  target: { engine: "PostgreSQL", version: "18.6", empty: true, free: null },
  findings: [
    { severity: "blocker", code: "target_not_empty", object: "public.a", reason: "it is there", fix: "drop it" },
    ...["a", "b", "c", "d", "e", "f", "g"].map((object) => ({
      severity: "note" as const,
      code: "type_changes",
      object,
      reason: "its collation becomes another",
      fix: "",
    })),
  ],
  objects: [
    { kind: "table", name: "a", outcome: "copied" },
    { kind: "column", name: "a.x", outcome: "converted", note: "smallint unsigned → integer" },
    { kind: "column", name: "a.flag", outcome: "converted", note: "tinyint(1) → boolean" },
    { kind: "column", name: "a.v", outcome: "converted", note: "character varying(45) → VARCHAR(45)" },
    { kind: "index", name: "a.PRIMARY", outcome: "converted", note: "as a_pkey" },
    { kind: "column", name: "b.x", outcome: "converted", note: "smallint unsigned → integer" },
    { kind: "trigger", name: "one", outcome: "reported", note: "a trigger's code is not translated" },
    { kind: "view", name: "v", outcome: "reported", note: "not translated: why; draft: SELECT 1" },
    { kind: "trigger", name: "two", outcome: "reported", note: "a trigger's code is not translated" },
    { kind: "table", name: "left", outcome: "not_applicable", note: "left out" },
  ],
  estimate: { seconds: { least: 2, most: 2 }, basis: "what was measured", latencyMs: { source: 0, target: 0 } },
  samples: ["statistics", "the first rows of a"],
};

test("the verdict stands first, and what is the same for many objects is said once", () => {
  expect(assessmentText(found)).toBe(`Not ready: 1 blocker.

  Source     MySQL 9.7.4: 6.7 MB, 16 tables, about 46,603 rows
  Target     PostgreSQL 18.6: empty, free disk not known
  Estimate   about 2s
             what was measured
  Objects    1 copied as they are, 5 converted, 3 missing or changed, 1 not part of this copy
  Looked at  statistics
             the first rows of a

BLOCKER  public.a: it is there
         → drop it
note     a, b, c, d, e and 2 more: its collation becomes another

Would not be copied, or would be changed:
  view v: not translated: why (a draft is in --json)
  trigger one, two: a trigger's code is not translated

Conversions, the most frequent first:
  column a.x, b.x: smallint unsigned → integer
  column a.flag: tinyint(1) → boolean
`);
});

test("rows that no statistics tell are not said to be none", () => {
  const { source } = found;
  expect(assessmentText({ ...found, source: { ...source, rows: 0 } })).toContain("16 tables, rows not known");
});
