import { expect, test } from "vitest";
import { quantity, sameQuantities } from "./quantity.ts";

test.each([
  ["1000", 1000],
  ["1k", 1000],
  ["1e3", 1000],
  ["1Ki", 1024],
  ["500m", 0.5],
  ["1.5Gi", 1.5 * 2 ** 30],
  ["-2", -2],
  ["x", Number.NaN],
  ["1kk", Number.NaN],
])("%s is %d", (text, number) => {
  expect(quantity(text)).toBe(number);
});

test("lists of quantities are the same by their numbers, and only when each is in both", () => {
  expect(sameQuantities({ pods: "1000" }, { pods: "1k" })).toBe(true);
  expect(sameQuantities({ pods: "1" }, { pods: "1", secrets: "1" })).toBe(false);
  expect(sameQuantities({ pods: "1" }, { secrets: "1" })).toBe(false);
  expect(sameQuantities({ pods: "x" }, { pods: "x" })).toBe(false);
});
