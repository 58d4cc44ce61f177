import { expect, it } from "vitest";
import { forgetFailures, noteFailure, patience } from "../patience.ts";
import { chosenSeed } from "../seed.ts";

it("the seed is the same for a commit, the one that is named, or in a long form another each time", () => {
  expect(chosenSeed({})).toBe(chosenSeed({}));
  expect(chosenSeed({ ROWFERRY_SEED: "7" })).toBe(7);
  expect(chosenSeed({ ROWFERRY_LONG: "1", ROWFERRY_SEED: "7" })).toBe(7);
  expect(chosenSeed({ ROWFERRY_LONG: "1" })).not.toBe(chosenSeed({ ROWFERRY_LONG: "1" }));
  expect(() => chosenSeed({ ROWFERRY_SEED: "x" })).toThrow('ROWFERRY_SEED must be a whole number. It is "x".');
});

it("a condition is waited for as long as it says, and three seconds at most after a test of its file has failed", () => {
  expect(patience(30_000)).toBe(30_000);
  noteFailure();
  expect([patience(30_000), patience(100)]).toEqual([3_000, 100]);
  forgetFailures();
  expect(patience(30_000)).toBe(30_000);
});
