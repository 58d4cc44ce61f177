import { expect, test } from "vitest";
import { escapeUnseen, printable } from "./printable.ts";

test.each([
  ["a name with a line end", "a\nb", "a\\nb"],
  ["a terminal's escape", "\u001b[31mred", "\\u001b[31mred"],
  ["a tab, NUL and DEL", "\t\u0000\u007f", "\\u0009\\u0000\\u007f"],
  ["a mark that turns the direction of text", "\u202eabc", "\\u202eabc"],
  ["letters of any script", "ünïcode 名前", "ünïcode 名前"],
])("%s is written on one line, and a second time changes nothing", (_, text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(printable(shown)).toBe(shown);
});

test("on several lines, line ends and tabs stay", () => {
  expect(escapeUnseen("a\n\tb\u001b\ufeff\u200e")).toBe("a\n\tb\\u001b\\ufeff\\u200e");
});
