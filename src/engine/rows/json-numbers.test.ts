import { expect, test } from "vitest";
import { createNumberScan, mayLoseDigits } from "./json-numbers.ts";

/** As COPY writes a document. */
const written = (text: string) =>
  Buffer.from(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t"));

test.each<[document: string, lost: boolean]>([
  ["1.00000000000000000001", true],
  ["[1, 12345678901234567890123]", true],
  ['{"a": 0.1000000000000000055}', true],
  ["1e-400", true],
  ["[18446744073709551616]", true],
  ["9007199254740993.0", true],
  [`1${"0".repeat(2000)}`, true],
  ["18446744073709551615", false],
  ["-9223372036854775808", false],
  ["[0.1, 1.50, 1e300, -2.5e-3, 0, -0.0]", false],
  ["-0", true],
  ["[1,-0]", true],
  ['{"a": -0 , "b": 1}', true],
  ['["-0", 2-0.5]', false],
  ["3.141592653589793", false],
  ["1.00000000000000000000", false],
  [`1${"0".repeat(22)}`, false],
  ['"1.00000000000000000001"', false],
  ['{"a\\"1.00000000000000000001": "\\\\", "b": 1}', false],
  ['{"a\\\\": 1.00000000000000000001}', true],
  ['["\\\\\\" 1.00000000000000000001"]', false],
  ['[\n\t"\\u0031\\n",\n\t1.00000000000000000001\n]', true],
  ["null", false],
])("%s: %s", (document, lost) => {
  const bytes = written(document);
  const scan = createNumberScan("written");
  scan.feed(bytes, 0, bytes.length);
  expect(scan.finish()).toBe(lost);
  // The cheap look may only say too much.
  if (lost) expect(mayLoseDigits(bytes, 0, bytes.length, true)).toBe(true);
  if (lost && !/\de|-0\b/.test(document)) expect(mayLoseDigits(bytes, 0, bytes.length, false)).toBe(true);
  // Byte by byte, by the same scan: nothing is left of the document before.
  for (let at = 0; at < bytes.length; at++) scan.feed(bytes, at, at + 1);
  expect(scan.finish()).toBe(lost);
  expect(scan.finish()).toBe(false);
  const itself = Buffer.from(document);
  const plain = createNumberScan("plain");
  plain.feed(itself, 0, itself.length);
  expect(plain.finish()).toBe(lost);
  for (let at = 0; at < itself.length; at++) plain.feed(itself, at, at + 1);
  expect(plain.finish()).toBe(lost);
  expect(plain.finish()).toBe(false);
});

test("a number of sixteen bytes is seen wherever it stands", () => {
  for (let at = 0; at < 40; at++) {
    const bytes = Buffer.from(`[${" ".repeat(at)}1.00000000000001${" ".repeat(40 - at)}]`);
    expect(mayLoseDigits(bytes, 0, bytes.length, false)).toBe(true);
  }
  expect(mayLoseDigits(Buffer.from("[1.0000000000001, 1.0000000000001]"), 0, 34, false)).toBe(false);
});
