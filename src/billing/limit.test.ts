import { describe, expect, test } from "vitest";
import type { PaymentSpec } from "../resources/payment.ts";
import { isOverQuote, mostBytesOf, overQuote } from "./limit.ts";
import type { PriceList, RunType } from "./prices.ts";

const prices: PriceList = { minimum: 5, steps: [{ transfer: 1, conversion: 2 }] };
const free: PaymentSpec = { by: "free", account: "a", currency: "USD", amount: 0, quotedSize: 900_000_000 };
const hold: PaymentSpec = { by: "hold", account: "a", currency: "USD", amount: 1000, quotedSize: 10_000_000_000 };
const plan: PaymentSpec = { by: "plan", account: "a", currency: "USD", amount: 0 };

test.each<[string, PaymentSpec | undefined, number | undefined, RunType?]>([
  ["made with kubectl", undefined, undefined],
  ["covered by a plan", plan, undefined],
  ["free: under 1 GB, whatever the quote", free, 999_999_999],
  ["paid: a tenth more than quoted", hold, 11_000_000_000],
  ["paid: as much as costs the same", { ...hold, quotedSize: 9_000_000_000 }, 10_009_999_999, "transfer"],
  ["paid: as much as costs the same, of either type", { ...hold, quotedSize: 1_000_000_000 }, 5_004_999_999],
  ["paid the minimum for 16 kB", { ...hold, amount: 500, quotedSize: 16_384 }, 2_504_999_999, "conversion"],
  ["paid before the prices rose", { ...hold, amount: 400, quotedSize: 1_000_000_000 }, 1_100_000_000, "conversion"],
  ["paid, of a version that kept no size", { ...plan, by: "hold", amount: 500 }, undefined],
])("the source of a migration %s", (_name, payment, most, type) => {
  expect(mostBytesOf(payment, type, prices)).toBe(most);
});

test("without prices a payment covers a tenth more than was quoted", () => {
  expect(mostBytesOf(hold, "transfer", undefined)).toBe(11_000_000_000);
});

describe("the message", () => {
  const copied = { size: 12_000_000_000, type: "conversion" } as const;
  test("names the measured size, the quoted size and the new price", () => {
    expect(overQuote(hold, copied, prices)).toEqual({
      reason: "source_over_quote",
      message:
        "The source now has 12 GB (12,000,000,000 bytes). Its price was quoted for 10 GB (10,000,000,000 bytes), and covers up to 11 GB (11,000,000,000 bytes). Nothing was written and nothing is charged. The price for this size is 24.00 USD: to accept it, get a new estimate and create a new migration.",
    });
  });
  test("names the limit of the free migration", () => {
    const said = overQuote(free, { size: 1_000_000_000, type: "transfer" }, prices);
    expect(said?.reason).toBe("source_over_free_limit");
    expect(said?.message).toContain("covers a source under 1.0 GB (1,000,000,000 bytes)");
    expect(said?.message).toContain("The price for this size is 5.00 USD");
  });
  test("names no price while billing is off", () => {
    expect(overQuote(hold, copied, undefined)?.message).not.toContain("USD");
  });
});

test("only the present run's failure counts", () => {
  const result = { run: 1, outcome: "failed", reason: "source_over_quote", message: "", finishedAt: "" } as const;
  expect(isOverQuote({ state: "failed", run: 1, result })).toBe(true);
  expect(isOverQuote({ state: "failed", run: 1, result: { ...result, reason: "source_statistics_wrong" } })).toBe(true);
  expect(isOverQuote({ state: "failed", run: 2, result })).toBe(false);
  expect(isOverQuote({ state: "pending", run: 1, result })).toBe(false);
  expect(isOverQuote({ state: "failed", run: 1, result: { ...result, reason: "disk_full" } })).toBe(false);
  expect(isOverQuote(undefined)).toBe(false);
});
