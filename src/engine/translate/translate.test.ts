import { describe, expect, test } from "vitest";
import { type ColumnMeaning, translateExpression, translateView } from "./index.ts";

const column = (name: string, sourceType: string, targetType: string, collation?: string): [string, ColumnMeaning] => [
  name,
  { name, sourceType, targetType, nullable: true, ...(collation === undefined ? {} : { collation }) },
];
const columns = new Map([
  column("i", "int", "integer"),
  column("u", "int unsigned", "bigint"),
  column("ci", "varchar(9)", "varchar(9)", "utf8mb4_0900_ai_ci"),
  column("s", "varchar(9)", "varchar(9)", "utf8mb4_0900_bin"),
  column("ts", "timestamp", "timestamptz(0)"),
  column("e", "enum('a','b')", '"public"."t_e"', "utf8mb4_0900_ai_ci"),
  column('q"', "int", "integer"),
]);
const from = { engine: "mysql", version: 80400 } as const;
const to = { engine: "postgres", version: 180000 } as const;
const check = (sql: string) => translateExpression(sql, { from, to, columns, use: "check" });

describe("an expression", () => {
  test.each([
    ["(`i` > 0)", '("i" > 0)'],
    ['(`q"` <> 1)', '("q""" <> 1)'],
    ["(`s` = _utf8mb4\\'it\\\\\\'s\\')", "(\"s\" = 'it''s'::text)"],
    ["(`e` = _utf8mb4\\'A\\')", "(\"e\" = 'a')"],
    ["(`i` in (1,2))", '((("i" = 1) OR ("i" = 2)))'],
  ])("%s is translated", (sql, expected) => {
    expect(check(sql)).toEqual({ sql: expected, immutable: true });
  });

  test.each([
    ["(`ci` = _utf8mb4\\'x\\')", /different text for equal/],
    ["((`u` - `i`) > 0)", /below zero/],
    ["(`s` > 1)", /converts one of them/],
    ["(`s` + 1)", /as a number/],
    ["regexp_like(`s`,_utf8mb4\\'x\\')", /REGEXP_LIKE/],
    ["(`ts` > _utf8mb4\\'2020-01-01\\')", /time zone/],
    ["(`i` > 0) -- x", /not known|not understood|comment/],
    ["(`i` > 0); DROP TABLE t", /not understood/],
    ["(`i` /* x */ > 0)", /comment/],
    ["(`nothing` > 0)", /not known/],
    ["`x`.`f`(`i`)", /own/],
    ["(`i` || `i`)", /sql_mode/],
    [`${"(".repeat(400)}1${")".repeat(400)}`, /nested/],
    ["(`i` > ", /ends too early/],
    ["", /ends too early/],
  ])("%s is refused with its reason", (sql, reason) => {
    expect(check(sql)).toEqual(expect.objectContaining({ reason: expect.stringMatching(reason) }));
  });

  test("of a folding collation comes with a draft", () => {
    expect(check("(`ci` = _utf8mb4\\'x\\')")).toEqual(expect.objectContaining({ draft: "(\"ci\" = 'x'::text)" }));
  });
});

test("a view of PostgreSQL is refused with its reason", () => {
  expect(translateView("SELECT 1", { from: to, to: from, relation: () => undefined })).toEqual({
    reason: "views of PostgreSQL are not translated",
  });
});
