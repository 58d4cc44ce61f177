import { expect, test } from "vitest";
import { chosenSeed } from "../../seed.ts";
import { play } from "./play.ts";

test("whatever is killed, lost or repeated, each payment is captured for a completed run, released, or lapsed", async () => {
  const { failures, tally } = await play({ seed: chosenSeed(), histories: 25 }, (line) => console.log(line));
  expect(failures).toEqual([]);
  expect(Object.values(tally).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(5);
});
