import { expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { playFuzz } from "./play.ts";

test("a thousand requests made of the document find no answer that it does not describe, and none of another account's data", async () => {
  const seed = chosenSeed();
  const played = await playFuzz({ seed, requests: 1000 }, (line) => console.log(line));
  console.log(played.statuses);
  expect(played.failures).toEqual([]);
  expect(played.requests).toBeGreaterThanOrEqual(1000);
  expect(played.checks).toBeGreaterThan(played.requests);
});
