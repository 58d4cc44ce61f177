import { expect, test } from "vitest";
import { createJsonCheck } from "./json-check.ts";

test.each<[string, string | undefined]>([
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}', undefined],
  ['{"a":1,"b":2,"a":3}', "a key that is there twice"],
  ['{"a":1,"\\u0061":3}', "a key that is there twice"],
  ['{"a\\"":1,"a":3}', undefined],
  ['["a","a"]', undefined],
  ['{"k":"a","l":"a"}', undefined],
  ['"\\u0000"', "\\u0000"],
  ['"\\\\u0000"', undefined],
  ['"\\ud83d\\ude00"', undefined],
  ['"\\uD83D"', "half a surrogate pair"],
  ['"\\uD83Dx"', "half a surrogate pair"],
  ['"\\uDE00"', "half a surrogate pair"],
  ['"\\uD83D\\n"', "half a surrogate pair"],
  ["-0", "minus zero"],
  ["[-0.0]", "minus zero"],
  ["-0e5", "minus zero"],
  ["-0.1", undefined],
  ["[1,-10]", undefined],
  ["1e308", undefined],
  ["1e99999", "a number with a huge exponent"],
  ['"a\nb"', "a control character in a string"],
  ['"-0"', undefined],
  ["true", undefined],
  ["null", undefined],
])("%s: %s, however it is cut", (text, expected) => {
  const bytes = Buffer.from(text);
  const check = createJsonCheck();
  for (let piece = 1; piece <= bytes.length; piece++) {
    check.start();
    for (let at = 0; at < bytes.length; at += piece) check.feed(bytes, at, Math.min(at + piece, bytes.length));
    expect(check.finish()).toBe(expected);
  }
});
