import { expect, test } from "vitest";
import { shares } from "./key-lengths.ts";

test.each([
  [[10, 20], 100, [10, 20]],
  [[Number.POSITIVE_INFINITY], 3072, [3072]],
  [[8, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], 3072, [8, 1532, 1532]],
  [[Number.POSITIVE_INFINITY, 1000], 3072, [2072, 1000]],
  [[], 3072, []],
])("a key's columns that wish for %j get of %i bytes %j", (wishes, budget, expected) => {
  expect(shares(wishes, budget)).toEqual(expected);
});
