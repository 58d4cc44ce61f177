import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("no more than two run at once, in the order in which they came, and one that fails gives its turn on", async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const all = Array.from({ length: 20 }, (_, at) =>
    inTurn(async () => {
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
  await expect(inTurn(async () => "again")).resolves.toBe("again");
});
