import { expect, test } from "vitest";
import { inUnits, moneyText } from "./money.ts";
import { largestFor, type PriceList, priceListSchema, priceOf, type RunType, refusedByStripe } from "./prices.ts";

const list: PriceList = {
  minimum: 5,
  steps: [
    { upToGb: 10, transfer: 1, conversion: 2 },
    { upToGb: 100, transfer: 0.5, conversion: 1 },
    { transfer: 0.123456, conversion: 0.25 },
  ],
};

test.each<[RunType, number, string, number, number[]]>([
  ["transfer", 0, "USD", 500, [500]],
  ["transfer", 1, "USD", 500, [0, 500]],
  ["transfer", 4_999_999_999, "USD", 500, [499, 1]],
  ["transfer", 5_000_000_000, "USD", 500, [500]],
  ["conversion", 5_000_000_000, "USD", 1000, [1000]],
  ["transfer", 10_000_000_000, "USD", 1000, [1000]],
  ["transfer", 10_020_000_000, "USD", 1001, [1000, 1]],
  ["transfer", 10_019_999_999, "USD", 1000, [1000, 0]],
  ["transfer", 1_100_000_000_000, "USD", 17_845, [1000, 4500, 12_345]],
  ["conversion", 150_000_000_000, "EUR", 12_250, [2000, 9000, 1250]],
  ["transfer", 12_000_000_000, "JPY", 11, [10, 1]],
  ["transfer", 12_340_000_000, "KWD", 11_170, [10_000, 1170]],
  ["transfer", 12_900_000_000, "ISK", 1100, [1000, 100]],
  ["conversion", Number.MAX_SAFE_INTEGER, "USD", 225_188_481, [2000, 9000, 225_177_481]],
])("a %s of %d bytes in %s costs %d, and its lines add up", (type, size, currency, amount, lines) => {
  const price = priceOf(list, currency, type, size);
  expect(price.amount).toBe(amount);
  expect(price.lines.map((line) => line.amount)).toEqual(lines);
});

test.each<[RunType, number]>([
  ["transfer", 500],
  ["conversion", 5000],
  ["transfer", 12_345],
])("the largest %s for %d costs that, and one byte more costs more", (type, amount) => {
  const size = largestFor(list, "USD", type, amount);
  expect(priceOf(list, "USD", type, size).amount).toBe(amount);
  expect(priceOf(list, "USD", type, size + 1).amount).toBe(amount + 1);
});

test("nothing costs less than the minimum, and a last step without a price has no end", () => {
  expect(largestFor(list, "USD", "transfer", 499)).toBe(0);
  const flat = { minimum: 5, steps: [{ transfer: 0, conversion: 0 }] };
  expect(largestFor(flat, "USD", "transfer", 500)).toBe(Number.MAX_SAFE_INTEGER - 1);
});

test.each<[number, number, string, string | undefined]>([
  [5, 1, "USD", undefined],
  [0.5, 1, "USD", undefined],
  [0.49, 1, "USD", "the minimum of 0.49 USD is below the least that Stripe charges: set at least 0.50 USD"],
  [0, 1, "EUR", "the minimum of 0 EUR is below the least that Stripe charges: set at least 0.50 EUR"],
  [0, 0, "EUR", undefined],
  [49, 1, "JPY", "the minimum of 49 JPY is below the least that Stripe charges: set at least 50 JPY"],
  [1, 1, "XAF", undefined],
  // Less than the currency's smallest unit: small sources would cost nothing.
  [0.01, 1, "XAF", "the minimum of 0.01 XAF is below the least that Stripe charges: set at least 1 XAF"],
  [0, 1, "ZAR", "the minimum of 0 ZAR is below the least that Stripe charges: set at least 0.01 ZAR"],
])("a minimum of %d and %d for each GB in %s", (minimum, each, currency, problem) => {
  expect(refusedByStripe({ minimum, steps: [{ transfer: each, conversion: each }] }, currency)).toBe(problem);
});

test("the arithmetic is told in words", () => {
  expect(priceOf(list, "USD", "transfer", 12_500_000_000).lines).toEqual([
    { text: "10 GB × 1 USD (transfer)", amount: 1000 },
    { text: "2.5 GB × 0.5 USD (transfer)", amount: 125 },
  ]);
  expect(priceOf(list, "USD", "conversion", 1_000_000).lines).toEqual([
    { text: "0.001 GB × 2 USD (conversion)", amount: 0 },
    { text: "up to the minimum of 5.00 USD", amount: 500 },
  ]);
  expect(priceOf(list, "USD", "conversion", 24_712_345).lines[0]?.text).toBe("0.024712345 GB × 2 USD (conversion)");
});

test("a run never costs less than a smaller one", () => {
  const sizes = Array.from({ length: 400 }, (_, at) => at * 333_333_333);
  for (const currency of ["USD", "JPY", "KWD", "ISK"]) {
    const amounts = sizes.map((size) => priceOf(list, currency, "transfer", size).amount);
    expect(amounts).toEqual([...amounts].sort((one, other) => one - other));
  }
});

test.each<[number, string, number, string]>([
  [1999, "USD", 19.99, "19.99 USD"],
  [1999, "JPY", 1999, "1999 JPY"],
  [1990, "TND", 1.99, "1.990 TND"],
  [500, "ISK", 5, "5.00 ISK"],
])("%d of %s is shown as %d and told as %s", (smallest, currency, units, words) => {
  expect(inUnits(smallest, currency)).toBe(units);
  expect(moneyText(smallest, currency)).toBe(words);
});

test.each<[string, unknown]>([
  ["no step", { minimum: 0, steps: [] }],
  ["a last step with an end", { minimum: 0, steps: [{ upToGb: 1, transfer: 1, conversion: 1 }] }],
  [
    "a step without an end before the last",
    {
      minimum: 0,
      steps: [
        { transfer: 1, conversion: 1 },
        { transfer: 1, conversion: 1 },
      ],
    },
  ],
  [
    "steps that fall",
    {
      minimum: 0,
      steps: [
        { upToGb: 2, transfer: 1, conversion: 1 },
        { upToGb: 2, transfer: 1, conversion: 1 },
        { transfer: 1, conversion: 1 },
      ],
    },
  ],
  ["a price below zero", { minimum: 0, steps: [{ transfer: -1, conversion: 1 }] }],
  ["a price with seven decimals", { minimum: 0, steps: [{ transfer: 0.000_000_1, conversion: 1 }] }],
])("a price list with %s is refused", (_name, value) => {
  expect(priceListSchema.safeParse(value).success).toBe(false);
});
