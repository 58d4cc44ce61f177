import { expect, test } from "vitest";
import { many, matchesWildcards, one, type Wildcards } from "./wildcards.ts";

const read = (text: string): Wildcards =>
  [...text].map((character) => (character === "*" ? many : character === "?" ? one : character));

test.each([
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["**", "abc", true],
  ["?", "", false],
  ["?", "😀", true],
  ["??", "😀", false],
  ["a*", "a", true],
  ["*a", "ba", true],
  ["*a", "ab", false],
  ["a*b*c", "axxbxbyc", true],
  ["a*b*c", "axxbxby", false],
  ["*ab", "aab", true],
  ["*ab*ab", "ab", false],
  ["a?*c", "ac", false],
  ["a?*c", "abc", true],
  [".*", "a", false],
])("%j matches %j: %s", (pattern, name, expected) => {
  expect(matchesWildcards(read(pattern), name)).toBe(expected);
});
