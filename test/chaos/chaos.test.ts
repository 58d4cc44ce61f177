import { expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { tallyFailure } from "./blows.ts";
import { play } from "./play.ts";

test("whatever is killed at whatever moment, the target is equal or the run says that it failed, and a retry or a reset ends it", async () => {
  const seed = chosenSeed();
  const { rounds, tally, failures } = await play({ seed, rounds: 5 }, (line) => console.log(line));
  expect(failures).toEqual([]);
  expect(tallyFailure(tally), `seed ${seed}`).toBeUndefined();
  expect(rounds).toBe(20);
});
