import { describe, expect, it } from "vitest";
import { inDatabase } from "./code-sql.ts";

describe("a view's text in another database", () => {
  it.each([
    ["select `vs`.`t`.`a` AS `a` from `t`", "select `w`.`t`.`a` AS `a` from `t`"],
    ["select `vs`.`fu`() AS `f`", "select `w`.`fu`() AS `f`"],
    ["select nextval(`vs`.`sq`) AS `n`", "select nextval(`w`.`sq`) AS `n`"],
    [
      "select `x`.`a` from (`other`.`w` join `vs`.`t` `x` on(`vs`.`t`.`a` = `w`.`a`))",
      "select `x`.`a` from (`other`.`w` join `w`.`t` `x` on(`w`.`t`.`a` = `w`.`a`))",
    ],
    ["select 1 from (`vs`.`t` join `u`)", "select 1 from (`w`.`t` join `u`)"],
  ])("has that one's name in %s", (text, wanted) => expect(inDatabase(text, "vs", "w")).toBe(wanted));

  it.each([
    "select `vs`.`a` AS `a` from `vs`",
    "select `t`.`vs` AS `vs` from `t`",
    "select `other`.`vs`.`a` AS `a` from `other`.`vs`",
    "select '`vs`.`t`.`a`' AS `x`, 'it''s `vs`.`fu`()' AS `y`",
  ])("is as it was in %s", (text) => expect(inDatabase(text, "vs", "w")).toBe(text));

  it("says no database where none is wanted", () => {
    expect(inDatabase("select `vs`.`t`.`a`,`vs`.`fu`() from `vs`.`t`", "vs", undefined)).toBe(
      "select `t`.`a`,`fu`() from `t`",
    );
  });
});
