import { expect, test } from "vitest";
import { expressionText, labelsOf } from "./catalogue-text.ts";

test.each<[string, string[]]>([
  ["enum('a','b')", ["a", "b"]],
  ["enum('it''s','a,b','')", ["it's", "a,b", ""]],
  ["set('a\\\\b','c\\nd','(x)')", ["a\\b", "c\nd", "(x)"]],
  ["enum(')','''')", [")", "'"]],
])("%s", (columnType, labels) => {
  expect(labelsOf(columnType)).toEqual(labels);
});

test.each([
  ["(`a` <> _utf8mb4\\'\u00c3\u00bc\u00f0\u009f\u0098\u0080\\\\\\'\\')", "(`a` <> _utf8mb4'ü😀\\'')"],
  ["concat(_utf8mb4\\'x\\',`\u00e9`)", "concat(_utf8mb4'x',`é`)"],
  ["_utf8mb4\\'\u00e9\\'", "_utf8mb4'é'"],
])("an expression of MySQL's catalogue, %s, is %s", (text, expected) => {
  expect(expressionText(text)).toBe(expected);
});
