import { expect, test } from "vitest";
import { equalBounds, halve } from "./split.ts";

test.each<[bigint, bigint, number, bigint[]]>([
  [0n, 100n, 4, [0n, 25n, 50n, 75n, 100n]],
  [-1n, 1n, 8, [-1n, 0n, 1n]],
  [0n, 18446744073709551615n, 2, [0n, 9223372036854775807n, 18446744073709551615n]],
])("%s to %s in %s parts: every number is in one of them", (low, high, parts, bounds) => {
  expect(
    equalBounds(low, high, parts).filter((bound, index, all) => index === 0 || bound > (all[index - 1] ?? bound)),
  ).toEqual(bounds);
});

test("a range that holds far more than its share is halved until it does not", async () => {
  // All rows have an id up to 1,000, but one stands at two billion.
  const estimate = async (above: bigint, upTo: bigint) =>
    Number((upTo < 1000n ? upTo : 1000n) - (above < 1000n ? above : 1000n));
  const bounds = await halve(equalBounds(0n, 2_000_000_000n, 4), 250, estimate);
  expect(bounds[0]).toBe(0n);
  expect(bounds.at(-1)).toBe(2_000_000_000n);
  for (const [index, upTo] of bounds.entries()) {
    if (index > 0) expect(await estimate(bounds[index - 1] ?? 0n, upTo)).toBeLessThanOrEqual(250);
  }
});
