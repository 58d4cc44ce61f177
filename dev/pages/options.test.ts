import { expect, test } from "vitest";
import { examplesOf, optionsPage } from "./options.ts";

test("every option has a valid example", () => {
  expect(Object.keys(examplesOf()).length).toBeGreaterThan(15);
});

test("the flags of the examples are those of the command line", () => {
  const lines = [...optionsPage().matchAll(/^`(--[^`]+)`\.$/gm)].map(([, words = ""]) => words);
  expect(lines).toHaveLength(Object.keys(examplesOf()).length);
  expect(lines).toContain("--include orders --include 'customer*'");
  expect(lines).toContain("--types 'orders.total=numeric(20,4)'");
});
