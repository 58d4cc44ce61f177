import { expect, test } from "vitest";
import { canonicalJson, canonicalNumber } from "./canonical-json.ts";

test.each([
  ["1.50", "15e-1"],
  ["15E-1", "15e-1"],
  ["100", "1e2"],
  ["1e2", "1e2"],
  ["0.0", "0"],
  ["-0.0", "-0"],
  ["123456789012345678901234567890.123", "123456789012345678901234567890123e-3"],
])("%s is exactly %s", (text, canonical) => {
  expect(canonicalNumber(text, false)).toBe(canonical);
});

test.each([
  ["18446744073709551615", "18446744073709551615e0"],
  ["18446744073709551616", "18446744073709552e3"],
  ["0.1000000000000000055511151231257827", "1e-1"],
  ["1.0", "1e0"],
  ["-0", "0"],
])("%s is %s where numbers are doubles", (text, canonical) => {
  expect(canonicalNumber(text, true)).toBe(canonical);
});

test.each([
  ['{"b": 1.0, "a": [true, null, "\\u00e9"]}', '{"a":[true,null,"é"],"b":1}'],
  ['{"__proto__": 1, "10": 2, "9": 3}', '{"9":3,"10":2,"__proto__":1}'],
  ['"a\\/b"', '"a/b"'],
  ['{"a": 1, "a": 2}', '{"a": 2}'],
])("%s and %s are one value", (one, other) => {
  expect(canonicalJson(one, false)).toBe(canonicalJson(other, false));
});

test.each([
  ['"1"', "1"],
  ["[1, 2]", "[2, 1]"],
  ["{}", "[]"],
  ['{"a": null}', "{}"],
  ["1.0000000000000000001", "1"],
])("%s and %s are two", (one, other) => {
  expect(canonicalJson(one, false)).not.toBe(canonicalJson(other, false));
});
