import { expect, test } from "vitest";
import { instantIn } from "./exact-instants.ts";

const definition = [
  "CREATE TABLE `t` (",
  "  `id` int NOT NULL COMMENT '`a` timestamp DEFAULT ''1999-01-01 00:00:00''',",
  "  `a` timestamp NOT NULL DEFAULT '2019-12-31 18:30:00' ON UPDATE CURRENT_TIMESTAMP,",
  "  `b``c` timestamp(3) NULL DEFAULT '2019-12-31 18:30:00.500' COMMENT 'DEFAULT ''2000-01-01 00:00:00''',",
  "  `d` timestamp NULL DEFAULT NULL,",
  "  PRIMARY KEY (`id`)",
  ") ENGINE=InnoDB",
].join("\n");

test.each([
  ["a", "2019-12-31 18:30:00"],
  ["b`c", "2019-12-31 18:30:00.500"],
  ["d", undefined],
  ["other", undefined],
])("the default of column %s is %s", (column, expected) => {
  expect(instantIn(definition, column)).toBe(expected);
});
