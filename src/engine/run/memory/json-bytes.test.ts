import { expect, test } from "vitest";
import { jsonBytes, jsonTexts } from "./json-bytes.ts";

test.each([
  {},
  { a: 1, left: undefined, text: 'ä"\\\n\u{1f600}', none: null, inside: { a: [1, undefined, { b: undefined }] } },
  { empty: [], one: [1], many: Array.from({ length: 4_001 }, (_, at) => ({ at, name: `täble ${at}` })), last: true },
])("the text is that of JSON.stringify: %#", (value) => {
  expect(jsonBytes(value).toString()).toBe(JSON.stringify(value));
  for (const most of [2, 7, 100_000]) {
    const texts = [...jsonTexts(value, most)];
    expect(texts.join("")).toBe(JSON.stringify(value));
    expect(texts.filter((text) => text.length > most || /[\uD800-\uDBFF]$/.test(text))).toEqual([]);
  }
});
