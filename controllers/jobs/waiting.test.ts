import { expect, test } from "vitest";
import { shownPlace, whyWaiting } from "./waiting.ts";

test.each([
  [1, 1, "this one is next"],
  [2, 2, "1 is before it"],
  [50, 50, "49 are before it"],
  [51, 100, "fewer than 100 are before it"],
  [100, 100, "99 are before it"],
  [101, 200, "fewer than 200 are before it"],
  [201, 500, "fewer than 500 are before it"],
  [999, 1000, "fewer than 1000 are before it"],
  [4999, 5000, "fewer than 5000 are before it"],
  [10_001, 20_000, "fewer than 20000 are before it"],
])("the place %d in the queue is shown as %d: %s", (position, shown, words) => {
  const why = whyWaiting({ slot: { free: false, position, scope: "cluster", limit: 20 } }, "Migration");
  expect(why?.position).toBe(shown);
  expect(why?.trouble.message).toBe(`20 runs are in progress, the limit of the installation; ${words}.`);
});

test("a line of five thousand that moves by one changes few of the places that are shown", () => {
  const changed = Array.from({ length: 5000 }, (_, at) => at + 1).filter(
    (one) => shownPlace(one) !== shownPlace(one + 1),
  );
  expect(changed).toHaveLength(50 + 6);
});
