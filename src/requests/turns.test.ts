import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("no more than two run at once, in the order in which they came, and one that fails gives its turn on", async () => {
  const turns = createTurns({ most: 2, waiting: 20, inAll: 20 });
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const all = Array.from({ length: 20 }, (_, at) =>
    turns.run("one", async () => {
      begun.push(at);
      running += 1;
      most = Math.max(most, running);
      for (let ticks = 0; ticks < (at * 7) % 5; ticks += 1) await Promise.resolve();
      running -= 1;
      if (at % 3 === 0) throw new Error("failed");
      return at;
    }),
  );
  const ended = await Promise.allSettled(all);
  expect(most).toBe(2);
  expect(begun).toEqual([...begun].sort((a, b) => a - b));
  expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(13);
  await expect(turns.run("one", async () => "again")).resolves.toBe("again");
});

test("one's many wait behind another's one, and more than may wait are refused", async () => {
  const turns = createTurns({ most: 1, waiting: 3, inAll: 6 });
  const begun: string[] = [];
  const ask = (key: string, name: string) => turns.run(key, async () => void begun.push(name));
  const all = [
    ...["a1", "a2", "a3", "a4"].map((name) => ask("ann", name)),
    ...["b1", "b2"].map((name) => ask("bob", name)),
    ask("cat", "c1"),
  ];
  expect(() => turns.expect("ann")).toThrow(expect.objectContaining({ code: "busy", retryAfter: 1 }));
  expect(() => turns.expect("dan")).toThrow(expect.objectContaining({ code: "busy", retryAfter: 5 }));
  await Promise.all([
    expect(ask("ann", "a5")).rejects.toMatchObject({ code: "busy", retryAfter: 1 }),
    expect(ask("dan", "d1")).rejects.toMatchObject({ code: "busy", retryAfter: 5 }),
  ]);
  await Promise.all(all);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  expect(() => turns.expect("ann")).not.toThrow();
});
