import { expect, test } from "vitest";
import { together } from "./work.ts";

test.each([
  ["nothing makes no group", [], []],
  ["neighbours stand together up to the weight", [4, 3, 3, 1], [[4, 3, 3], [1]]],
  ["one that is too heavy stands alone", [20, 1, 1], [[20], [1, 1]]],
  ["no group is longer than it may be", [1, 1, 1, 1], [[1, 1, 1], [1]]],
  ["a weight is not forgotten with a new group", [6, 6, 6], [[6], [6], [6]]],
])("%s", (_, weights, expected) => {
  expect(together<number>(weights, { weigh: (weight) => weight, mostWeight: 10, most: 3 })).toEqual(expected);
});
