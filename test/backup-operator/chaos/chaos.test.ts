import { afterAll, beforeAll, expect, test } from "vitest";
import { chosenSeed } from "../../seed.ts";
import { openPlay, type Play } from "./play.ts";

/** Kills at random moments: no complete run is lost, none is falsely complete, and nothing is left of the others. */

const kills = 10;
const seed = chosenSeed();
let play: Play;

beforeAll(async () => {
  play = await openPlay(seed, (line) => console.log(line));
});
afterAll(() => play?.stop());

test.each(Array.from({ length: kills }, (_, at) => at))(
  "after kill %i all complete runs are whole, and nothing else is left",
  async (at) => {
    expect(await play.kill(at), `seed ${seed}`).toEqual([]);
  },
);

test("the kills met their work", () => {
  const { played } = play;
  expect(played.kills).toBe(kills);
  expect(
    Object.values(played.struck).reduce((sum, times) => sum + times, 0),
    `seed ${seed}`,
  ).toBeGreaterThan(3);
});
