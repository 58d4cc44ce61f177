import { describe, expect, test } from "vitest";
import { JsonError, parseJson } from "./json.ts";

describe("JSON that is right is read as JSON.parse reads it", () => {
  test.each([
    "null",
    " true ",
    "-0",
    "1.5e3",
    '"a\\u0041\\n\\"\\\\/"',
    '"\ud83d\ude00 ä"',
    "[]",
    "[1, [2], {}]",
    '{"a": {"b": [null, false]}, "": 1}',
    '\r\n\t{"a"\n:\n1}\n',
    '{"toString": 1, "hasOwnProperty": 2}',
  ])("%s", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe("what is not right is refused with its place", () => {
  test.each([
    ["", 1, 1, "ends where a value"],
    ["{", 1, 2, "name in double quotes"],
    ['{"a":1,}', 1, 8, "name in double quotes"],
    ["[1,]", 1, 4, "no JSON value"],
    ['{"a" 1}', 1, 6, ": is expected"],
    ["{\n  'a': 1}", 2, 3, "name in double quotes"],
    ["{}{}", 1, 3, "text after the JSON value"],
    ["NaN", 1, 1, "no JSON value"],
    ["01", 1, 2, "text after the JSON value"],
    ["1e999", 1, 1, "too large"],
    ['"a\nb"', 1, 1, "no JSON value"],
    ["\u00a0{}", 1, 1, "no JSON value"],
    ['{"a":1,\n"a":2}', 2, 1, "a is repeated: send it once"],
    ['{"a":1,"\\u0061":2}', 1, 8, "a is repeated: send it once"],
    ['{"__proto__":{"admin":true}}', 1, 2, "may not be named __proto__"],
    ['{"a":{"\\u005f_proto__":{}}}', 1, 7, "may not be named __proto__"],
    ["[".repeat(33), 1, 33, "deeper than 32"],
  ])("%j", (text, line, column, words) => {
    const error = (() => {
      try {
        return parseJson(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(JsonError);
    expect(error).toMatchObject({ line, column, message: expect.stringContaining(words) });
  });
});

test("A value that is wrong is not quoted", () => {
  expect(() => parseJson('{"source_url": postgres://me:secret@host/db}')).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining("secret") }),
  );
});

test("64 KB of hostile nesting and of escapes are refused or read in a moment", () => {
  expect(() => parseJson('{"a":'.repeat(13_000))).toThrow("deeper than 32");
  expect(() => parseJson(`"${"\\".repeat(65_535)}`)).toThrow(JsonError);
  expect(parseJson(`"${"x".repeat(65_000)}"`)).toHaveLength(65_000);
});
