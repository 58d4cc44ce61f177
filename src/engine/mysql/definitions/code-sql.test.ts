import { describe, expect, it } from "vitest";
import { drawsNumbers, inDatabase } from "./code-sql.ts";

describe("a view's text in another database", () => {
  it.each([
    ["select `vs`.`t`.`a` AS `a` from `t`", "select `w`.`t`.`a` AS `a` from `t`"],
    ["select `vs`.`fu`() AS `f`", "select `w`.`fu`() AS `f`"],
    ["select nextval(`vs`.`sq`) AS `n`", "select nextval(`w`.`sq`) AS `n`"],
    ["select substr(nextval(`vs`.`sq`),1,3) AS `n`", "select substr(nextval(`w`.`sq`),1,3) AS `n`"],
    [
      "select `x`.`a` from (`other`.`w` join `vs`.`t` `x` on(`vs`.`t`.`a` = `w`.`a`))",
      "select `x`.`a` from (`other`.`w` join `w`.`t` `x` on(`w`.`t`.`a` = `w`.`a`))",
    ],
    ["select 1 from (`vs`.`t` join `u`)", "select 1 from (`w`.`t` join `u`)"],
    ["select extract(year from `vs`.`t`.`d`) AS `y` from `t`", "select extract(year from `w`.`t`.`d`) AS `y` from `t`"],
    [
      "select trim(both ')' from (select `a` from (`vs`.`t` join `u`))) AS `x`",
      "select trim(both ')' from (select `a` from (`w`.`t` join `u`))) AS `x`",
    ],
  ])("has that one's name in %s", (text, wanted) => expect(inDatabase(text, "vs", "w")).toBe(wanted));

  it.each([
    "select `vs`.`a` AS `a` from `vs`",
    "select `t`.`vs` AS `vs` from `t`",
    "select `other`.`vs`.`a` AS `a` from `other`.`vs`",
    "select extract(year from `vs`.`d`) AS `y`,trim(both '(' from (`vs`.`s`)) AS `s` from `t` `vs`",
    "select '`vs`.`t`.`a`' AS `x`, 'it''s `vs`.`fu`()' AS `y`",
  ])("is as it was in %s", (text) => expect(inDatabase(text, "vs", "w")).toBe(text));

  it("says no database where none is wanted", () => {
    expect(inDatabase("select `vs`.`t`.`a`,`vs`.`fu`() from `vs`.`t`", "vs", undefined)).toBe(
      "select `t`.`a`,`fu`() from `t`",
    );
  });
});

it.each([
  ["select nextval(`vs`.`sq`) AS `n`", true],
  ["select lastval(`sq`) AS `n`", true],
  ["select `nextval`('nextval(') AS `n` from `nextval(`", false],
])("a view draws from a sequence or not: %s", (text, draws) => expect(drawsNumbers(text)).toBe(draws));
