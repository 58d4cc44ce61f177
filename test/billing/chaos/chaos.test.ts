import { expect, test } from "vitest";
import { chosenSeed } from "../../seed.ts";
import { play } from "./play.ts";

test("whatever is killed, lost or repeated, each payment is captured for a completed run, released, or lapsed", {
  timeout: 9 * 60_000,
}, async () => {
  const { failures, tally, done } = await play({ seed: chosenSeed(), histories: 25 }, (line) => console.log(line));
  expect(failures).toEqual([]);
  expect(Object.values(tally).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(5);
  console.log(done);
  // So few histories may have no refund; directed.test.ts always has.
  for (const deed of ["runs", "requests", "subscriptions"] as const) expect(done[deed], deed).toBeGreaterThan(0);
});
