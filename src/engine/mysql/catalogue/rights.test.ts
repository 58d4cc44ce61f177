import { expect, test } from "vitest";
import { rightsOf } from "./rights.ts";

test.each<[string, string[], { select?: boolean; trigger?: boolean; triggerOnT?: boolean }]>([
  ["nothing", ["GRANT USAGE ON *.* TO `u`@`%`"], {}],
  [
    "everything",
    ["GRANT ALL PRIVILEGES ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*AB' WITH GRANT OPTION"],
    { select: true, trigger: true, triggerOnT: true },
  ],
  ["one database", ["GRANT SELECT, SHOW VIEW ON `x_1`.* TO `u`@`%`"], { select: true }],
  [
    "an escaped name",
    ["GRANT SELECT, TRIGGER ON `x\\_1`.* TO `u`@`%`"],
    { select: true, trigger: true, triggerOnT: true },
  ],
  ["another database", ["GRANT SELECT ON `xy1`.* TO `u`@`%`", "GRANT TRIGGER ON `x\\_`.* TO `u`@`%`"], {}],
  ["a pattern", ["GRANT SELECT ON `x%`.* TO `u`@`%`"], { select: true }],
  [
    "a pattern beside the name itself",
    ["GRANT TRIGGER ON `%`.* TO `u`@`%`", "GRANT SELECT ON `x\\_1`.* TO `u`@`%`"],
    { select: true },
  ],
  [
    "two patterns",
    ["GRANT SELECT, TRIGGER ON `x%`.* TO `u`@`%`", "GRANT SELECT ON `%1`.* TO `u`@`%`"],
    { select: true },
  ],
  [
    "a role's own",
    ["GRANT `r` TO `u`@`%`", "GRANT SELECT ON `x_1`.* TO `u`@`%`", "GRANT TRIGGER ON `x_1`.* TO `r`"],
    { select: true, trigger: true, triggerOnT: true },
  ],
  ["everybody's", ["GRANT TRIGGER ON `x_1`.* TO PUBLIC"], { trigger: true, triggerOnT: true }],
  [
    "a right taken back",
    ["GRANT SELECT, TRIGGER ON *.* TO `u`@`%`", "REVOKE TRIGGER ON `x_1`.* FROM `u`@`%`"],
    { select: true },
  ],
  ["one table", ["GRANT SELECT (`a, b)`, `ON ``y``.*`), TRIGGER ON `x_1`.`t``u` TO `u`@`%`"], { triggerOnT: true }],
  ["a routine", ["GRANT SELECT ON PROCEDURE `x_1`.`t``u` TO `u`@`%`"], {}],
  ["MySQL 5.7's quotes", ["GRANT SELECT ON `x_1`.* TO 'u'@'%'"], { select: true }],
])("%s", (_, lines, { select = false, trigger = false, triggerOnT = false }) => {
  const rights = rightsOf(lines, false);
  expect(rights.onDatabase("SELECT", "x_1")).toBe(select);
  expect(rights.onDatabase("TRIGGER", "x_1")).toBe(trigger);
  expect(rights.onTable("TRIGGER", "x_1", "t`u")).toBe(triggerOnT);
  expect(rights.onTable("TRIGGER", "x_1", "other")).toBe(trigger);
  expect(rights.onTable("SELECT", "x_1", "t`u")).toBe(select);
});

test("names are folded only where the server folds them", () => {
  const lines = ["GRANT SELECT ON `shop`.* TO `u`@`%`"];
  expect(rightsOf(lines, false).onDatabase("SELECT", "Shop")).toBe(false);
  expect(rightsOf(lines, true).onDatabase("SELECT", "Shop")).toBe(true);
});
