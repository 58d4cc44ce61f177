import { expect, test } from "vitest";
import { createKeyScan, hasObject } from "./json-keys.ts";

const documents: [string, boolean][] = [
  ['{"a":1,"a":2}', true],
  ['{"a":1,"b":{"a":2}}', false],
  ['{"a":{"b":1},"b":{"b":1}}', false],
  ['[{"a":1},{"a":2}]', false],
  ['[1,{"x":[{"k":1,"l":2,"k":3}]}]', true],
  ['{"a":"a","b":"a\\"a","c":"{\\"a\\":1,\\"a\\":2}"}', false],
  ['{"\\u0061":1,"a":2}', true],
  ['{"a\\"b":1,"a\\\\b":2,"a\\nb":3}', false],
  ['{"a\\\\":1,"a\\\\":2}', true],
  ['{"é":1,"\\u00e9":2}', true],
  ['{"é":1,"è":2}', false],
  ['{\n\t"a" : 1,\n\t"a" : 2}', true],
  ['{"a":[1,"a"],"b":"a"}', false],
  ['{"":1,"":2}', true],
  [`{${Array.from({ length: 40 }, (_, n) => `"k${n}":${n}`).join(",")}}`, false],
  [`{${Array.from({ length: 40 }, (_, n) => `"k${n % 39}":${n}`).join(",")}}`, true],
  [`{"${"x".repeat(300)}a":1,"${"x".repeat(300)}b":2}`, false],
  [`{"${"x".repeat(300)}a":1,"${"x".repeat(300)}a":2}`, true],
  ['"{}"', false],
  ["null", false],
];

/** As COPY writes a text. */
const copied = (text: string) =>
  Buffer.from(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t"));

test.each(documents)("%s has a doubled key: %s", (text, expected) => {
  const bytes = copied(text);
  expect(hasObject(bytes, 0, bytes.length) || !expected).toBe(true);
  const scan = createKeyScan();
  for (let cut = 0; cut <= bytes.length; cut++) {
    scan.feed(bytes, 0, cut);
    scan.feed(bytes, cut, bytes.length);
    expect(scan.finish()).toBe(expected);
  }
});
