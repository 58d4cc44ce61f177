import { expect, test } from "vitest";
import { type ExclusiveTask, runExclusive } from "./exclusive-tasks.ts";

/** Work that ends when it is told to, and what was begun. */
function script(all: Record<string, string[]>) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const work = Object.entries(all).map(
    ([name, touches]): ExclusiveTask<number> => ({
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
  const ended = runExclusive([1, 2], work);
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
  const ended = runExclusive([1, 2], work).finally(() => {
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
  await expect(runExclusive([1, 2, 3], [])).resolves.toBeUndefined();
  const { work, begun, end } = script({ a: ["1"], b: ["1"] });
  const ended = runExclusive([1, 2, 3], work);
  await end("a");
  await end("b");
  await ended;
  expect(begun.map((one) => one.split("@")[0])).toEqual(["a", "b"]);
});
