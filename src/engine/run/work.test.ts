import { expect, test } from "vitest";
import { type Task, together, workOff } from "./work.ts";

test("the heaviest task is taken first, and of equal ones the one that waits longest", async () => {
  const done: string[] = [];
  const task = (name: string, weight: number, next: readonly Task<string>[] = []): Task<string> => ({
    weight,
    async run() {
      done.push(name);
      return [...next];
    },
  });
  const later = [task("late 2", 2), task("later 2", 2), task("late 9", 9), task("late 0", 0)];
  await workOff(["one"], [task("2", 2), task("5", 5, later), task("other 2", 2), task("1", 1)], () => undefined);
  expect(done).toEqual(["5", "late 9", "2", "other 2", "late 2", "later 2", "1", "late 0"]);
});

test.each([
  ["nothing makes no group", [], []],
  ["neighbours stand together up to the weight", [4, 3, 3, 1], [[4, 3, 3], [1]]],
  ["one that is too heavy stands alone", [20, 1, 1], [[20], [1, 1]]],
  ["no group is longer than it may be", [1, 1, 1, 1], [[1, 1, 1], [1]]],
  ["a weight is not forgotten with a new group", [6, 6, 6], [[6], [6], [6]]],
])("%s", (_, weights, expected) => {
  expect(together<number>(weights, { weigh: (weight) => weight, mostWeight: 10, most: 3 })).toEqual(expected);
});
