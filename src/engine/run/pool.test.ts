import { expect, test } from "vitest";
import { type Task, together, workOff } from "./pool.ts";

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

/** Work that ends when it is told to, and what was begun. */
function script(all: Record<string, string[]>) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const work = Object.entries(all).map(
    ([name, touches]): Task<number> => ({
      touches,
      run: (worker) => {
        begun.push(`${name}@${worker}`);
        return new Promise((resolve, reject) => ends.set(name, { resolve, reject }));
      },
    }),
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.resolve();
    await settled();
  };
  const fail = async (name: string) => {
    ends.get(name)?.reject(new Error(`${name} failed`));
    await settled();
  };
  return { work, begun, end, fail };
}

test("what touches the same never runs at once, and a later one goes first meanwhile", async () => {
  const { work, begun, end } = script({ a: ["1", "2"], b: ["2", "3"], c: ["4"], d: ["3"] });
  const ended = workOff([1, 2], work);
  expect(begun).toEqual(["a@1", "c@2"]);
  await end("c");
  expect(begun).toEqual(["a@1", "c@2", "d@2"]);
  await end("a");
  expect(begun).toHaveLength(3);
  await end("d");
  expect(begun.at(-1)).toMatch(/^b@/);
  await end("b");
  await ended;
});

test("after an error nothing more is begun, and what runs is waited for", async () => {
  const { work, begun, end, fail } = script({ a: ["1"], b: ["2"], c: ["3"] });
  let over = false;
  const ended = workOff([1, 2], work).finally(() => {
    over = true;
  });
  const refused = expect(ended).rejects.toThrow("a failed");
  await fail("a");
  expect(over).toBe(false);
  await end("b");
  await refused;
  expect(begun).toEqual(["a@1", "b@2"]);
});

test("no work and more workers than work come to an end", async () => {
  await expect(workOff([1, 2, 3], [])).resolves.toBeUndefined();
  const { work, begun, end } = script({ a: ["1"], b: ["1"] });
  const ended = workOff([1, 2, 3], work);
  await end("a");
  await end("b");
  await ended;
  expect(begun.map((one) => one.split("@")[0])).toEqual(["a", "b"]);
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
