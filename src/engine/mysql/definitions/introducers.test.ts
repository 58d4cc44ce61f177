import { expect, test } from "vitest";
import { hasOtherBytes, withoutIntroducers } from "./introducers.ts";

test.each([
  ["_utf8mb4'é'", "'é'"],
  ["(`v` <> _latin1'abc')", "(`v` <> 'abc')"],
  ["concat(_utf8mb4'it\\'s',_ascii'x')", "concat('it\\'s','x')"],
  ["_latin1'é'", "_latin1'é'"],
  ["_ucs2'a'", "_ucs2'a'"],
  ["`_utf8mb4`", "`_utf8mb4`"],
])("%s without what MariaDB does not read is %s", (text, expected) => {
  expect(withoutIntroducers(text)).toBe(expected);
});

test.each([
  ["_latin1'\ufffd'", true],
  ["(`v` in (_utf8mb4'a',_latin1'é'))", true],
  ["_utf8mb4'é'", false],
  ["_latin1'abc'", false],
  ["'_latin1' = 'é'", false],
])("whether %s holds another set's letters: %s", (text, expected) => {
  expect(hasOtherBytes(text)).toBe(expected);
});
