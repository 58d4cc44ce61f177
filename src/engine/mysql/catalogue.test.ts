import { expect, test } from "vitest";
import { labelsOf } from "./catalogue.ts";

test.each<[string, string[]]>([
  ["enum('a','b')", ["a", "b"]],
  ["enum('it''s','a,b','')", ["it's", "a,b", ""]],
  ["set('a\\\\b','c\\nd','(x)')", ["a\\b", "c\nd", "(x)"]],
  ["enum(')','''')", [")", "'"]],
])("%s", (columnType, labels) => {
  expect(labelsOf(columnType)).toEqual(labels);
});
