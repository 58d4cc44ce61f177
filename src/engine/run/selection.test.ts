import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createSelection } from "./selection.ts";

test.each([
  [{}, "public", "a", true],
  [{ include: ["a"] }, "public", "a", true],
  [{ include: ["a"] }, "public", "b", false],
  [{ include: ["public.*"] }, "other", "a", false],
  [{ include: ["*"], exclude: ["log_*"] }, "public", "log_2020", false],
  [{ exclude: ["public.a"] }, "other", "a", true],
  [{ include: ["a.b"] }, "public", "axb", false],
  [{ include: ["a.b"] }, "public", "a.b", false],
  [{ include: ["a.b"] }, "a", "b", true],
  [{ include: ['"a.b"'] }, "public", "a.b", true],
  [{ include: ['public."a.*"'] }, "public", "a.b", true],
  [{ exclude: ["a.*"] }, "public", "a.b", true],
  [{ include: ["pub*"] }, "public", "a", false],
  [{ include: ["*.a"] }, "public", "a", true],
  [{ include: ["tag[1]*"] }, "public", "tag[1]\nx", true],
])("%j has %s.%s: %s", (options, schema, table, expected) => {
  expect(createSelection(options).has(schema, table)).toBe(expected);
});

test("a pattern that matches no table is refused by name", () => {
  const selection = createSelection({ include: ["a", "typo"], exclude: ["gone*"] });
  expect(() => selection.refuseUnmatched([{ schema: "public", table: "a" }])).toThrow(
    /"typo" of options.include, "gone\*" of options.exclude/,
  );
});

test("a pattern of many stars is matched in a moment", () => {
  const selection = createSelection({ include: [`${"*a".repeat(30)}*b`] });
  const name = "a".repeat(63);
  // A regular expression cannot be interrupted but by the virtual machine's own watch.
  const has = () => runInNewContext("has()", { has: () => selection.has("public", name) }, { timeout: 10_000 });
  expect(has()).toBe(false);
});
