import { expect, test } from "vitest";
import { clean, cut, durationText, numberText, sizeText } from "./text.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [9_949, "9.9 kB"],
  [9_951, "10 kB"],
  [823_000_000, "823 MB"],
  [999_600_000, "1.0 GB"],
  [2_500_000_000_000, "2.5 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0, "0s"],
  [59.6, "1m0s"],
  [200, "3m20s"],
  [7500, "2h5m"],
])("%d seconds are %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test("what a terminal would obey is taken out, and the length bounded", () => {
  expect(clean("a\u001b[31mb\u202ec\r\nd", 100)).toBe("a [31mb c d");
  expect(clean("x".repeat(50), 10)).toHaveLength(10);
});

test("a text is cut between characters", () => {
  expect(cut("abc", 3)).toBe("abc");
  expect(cut("abcd", 3)).toBe("ab…");
  expect(cut("a\u{1f42c}bc", 3)).toBe("a…");
});

test("numbers have a comma between thousands", () => {
  for (const value of [0, 1, 999, 1000, 12_345, 123_456, 1_234_567, Number.MAX_SAFE_INTEGER])
    expect(numberText(value)).toBe(value.toLocaleString("en-US"));
});
