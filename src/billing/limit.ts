import { numberText, sizeText } from "../guard/text.ts";
import type { MigrationStatus } from "../resources/migration.ts";
import type { PaymentSpec } from "../resources/payment.ts";
import { freeUnder, mostAgain } from "./case.ts";
import { moneyText } from "./money.ts";
import { largestFor, type PriceList, priceOf, type RunType } from "./prices.ts";

/** The size that a run's payment covers, which the worker checks before its first write and while it reads. Pure. */

/** Reasons of a failed run whose source is larger than its payment covers. A retry cannot help: the price stays. */
export const overQuoteReasons = { free: "source_over_free_limit", hold: "source_over_quote" } as const;

/** The engine's code of a copy that read far more than its source was measured to have (src/engine/run/source-limit.ts). */
export const wrongStatistics = "source_statistics_wrong";

/**
 * Bytes that the source may have: a tenth more than was quoted, or as much as costs the same. Undefined without a limit: a plan covers it, or
 * `kubectl` made it. `type`: undefined before it is known; `prices`: undefined while billing is off.
 */
export function mostBytesOf(
  payment: PaymentSpec | undefined,
  type: RunType | undefined,
  prices: PriceList | undefined,
): number | undefined {
  if (payment?.by === "free") return freeUnder - 1;
  if (payment?.by !== "hold" || payment.quotedSize === undefined) return undefined;
  const again = mostAgain(payment.quotedSize);
  if (prices === undefined) return again;
  const types: RunType[] = type === undefined ? ["transfer", "conversion"] : [type];
  const same = types.map((one) => largestFor(prices, payment.currency, one, payment.amount));
  return Math.max(again, Math.min(...same));
}

/** Whether the present run failed because its source is larger than its payment covers. */
export function isOverQuote(status: Pick<MigrationStatus, "run" | "state" | "result"> | undefined): boolean {
  const { state, run, result } = status ?? {};
  return (
    state === "failed" &&
    result?.run === run &&
    [...Object.values<string>(overQuoteReasons), wrongStatistics].includes(result?.reason ?? "")
  );
}

/** Reason and message of such a failure. `prices`: undefined while billing is off. */
export function overQuote(
  payment: PaymentSpec,
  { size, type }: { size: number; type: RunType },
  prices: PriceList | undefined,
): { reason: string; message: string } | undefined {
  if (payment.by === "plan") return undefined;
  const covered =
    payment.by === "free"
      ? `Your free first migration covers a source under ${bytes(freeUnder)}.`
      : `Its price was quoted for ${bytes(payment.quotedSize ?? 0)}, and covers up to ${bytes(mostBytesOf(payment, type, prices) ?? 0)}.`;
  const { currency } = payment;
  const cost =
    prices === undefined
      ? "To copy it, get a new estimate and create a new migration."
      : `The price for this size is ${moneyText(priceOf(prices, currency, type, size).amount, currency)}: to accept it, get a new estimate and create a new migration.`;
  return {
    reason: overQuoteReasons[payment.by],
    message: `The source now has ${bytes(size)}. ${covered} Nothing was written and nothing is charged. ${cost}`,
  };
}

const bytes = (size: number): string => `${sizeText(size)} (${numberText(size)} bytes)`;
