import { expect, test } from "vitest";
import { heldTo, isCovered, mostAgain, type Situation, type Terms, termsOf } from "./case.ts";

const prices = { minimum: 5, steps: [{ transfer: 1, conversion: 2 }] };
const usual: Situation = {
  currency: "USD",
  prices,
  plan: "free",
  freeIsOpen: true,
  type: "transfer",
  size: 999_999_999,
};
const { prices: _prices, ...off } = usual;

test.each<[string, Situation, Terms["by"], number]>([
  ["billing is off", off, "nobody", 0],
  ["billing is off, for a subscriber too", { ...off, plan: "pro" }, "nobody", 0],
  ["a subscriber", { ...usual, plan: "pro", size: 1e12 }, "plan", 0],
  ["a subscriber keeps the free one", { ...usual, plan: "pro" }, "plan", 0],
  ["the first, one byte under a gigabyte", usual, "free", 0],
  ["the first, of a gigabyte", { ...usual, size: 1_000_000_000 }, "hold", 500],
  ["the second", { ...usual, freeIsOpen: false }, "hold", 500],
  ["an empty source that is not the first", { ...usual, freeIsOpen: false, size: 0 }, "hold", 500],
  ["a larger one", { ...usual, size: 20_000_000_000 }, "hold", 2000],
  ["one whose price is 0", { ...usual, prices: { minimum: 0, steps: [{ transfer: 0, conversion: 1 }] } }, "nobody", 0],
  ["a conversion", { ...usual, size: 20_000_000_000, type: "conversion" }, "hold", 4000],
])("%s", (_name, situation, by, amount) => {
  const terms = termsOf(situation);
  expect(terms).toMatchObject({ by, amount, currency: "USD" });
  expect(isCovered(terms)).toBe(by !== "hold");
  expect(terms.lines.reduce((sum, line) => sum + line.amount, 0)).toBe(amount);
});

const hold = (amount: number): Terms => termsOf({ ...usual, size: amount * 10_000_000 });
const plan = termsOf({ ...usual, plan: "pro" });

test.each<[string, Terms, { amount: number; currency: string } | undefined, number | undefined]>([
  ["nothing was shown", hold(2000), undefined, 2000],
  ["the same was shown", hold(2000), { amount: 2000, currency: "USD" }, 2000],
  ["less was shown", hold(2000), { amount: 1500, currency: "USD" }, 1500],
  ["more was shown", hold(2000), { amount: 2500, currency: "USD" }, 2000],
  ["nothing to pay was shown, and now there is", hold(2000), { amount: 0, currency: "USD" }, undefined],
  ["another currency was shown", hold(2000), { amount: 2000, currency: "EUR" }, undefined],
  ["a price was shown, and now a plan covers it", plan, { amount: 2000, currency: "USD" }, 0],
])("what is charged when %s", (_name, now, shown, amount) => {
  const terms = heldTo(now, shown);
  expect(terms?.amount).toBe(amount);
  if (terms !== undefined) expect(terms.lines.reduce((sum, line) => sum + line.amount, 0)).toBe(amount);
});

test.each([
  [0, 0],
  [9, 9],
  [10, 11],
  [1_000_000_000, 1_100_000_000],
])("a source quoted for %d bytes may have %d", (quoted, most) => {
  expect(mostAgain(quoted)).toBe(most);
});
