import * as z from "zod";
import { leastCharge, moneyText, smallestIn, smallestStep } from "./money.ts";

/** 1 GB is 10⁹ bytes (design.md). */
const gigabyte = 1_000_000_000;
/** Prices have at most six decimals: one counts a billionth of a millionth exactly, in integers. */
const millionths = 1_000_000;

const price = z.number().min(0).max(1_000_000).multipleOf(0.000_001);

/**
 * Chart value `billing.prices`: what a run costs that neither a plan nor the free first migration covers. Prices are in units of the
 * currency for each GB of the source that lies in the step; the steps rise, and the last one has no end.
 */
export const priceListSchema = z
  .strictObject({
    minimum: price.describe("No run costs less."),
    steps: z
      .array(
        z.strictObject({
          upToGb: z
            .number()
            .positive()
            .max(1_000_000_000)
            .optional()
            .describe("End of the step; the last one has none."),
          transfer: price.describe("For each GB, where source and target are the same engine."),
          conversion: price.describe("For each GB, across engines."),
        }),
      )
      .min(1)
      .max(20),
  })
  .refine(
    ({ steps }) =>
      steps.every(({ upToGb }, at) =>
        at === steps.length - 1 ? upToGb === undefined : upToGb !== undefined && upToGb > (steps[at - 1]?.upToGb ?? 0),
      ),
    { error: "the steps must rise by upToGb, and the last one has none", path: ["steps"] },
  );
export type PriceList = z.output<typeof priceListSchema>;

export type RunType = "transfer" | "conversion";

/** One line of the arithmetic; the lines' amounts add up to the price. */
export interface PriceLine {
  text: string;
  /** In the currency's smallest unit. */
  amount: number;
}

interface Price {
  /** In the currency's smallest unit. */
  amount: number;
  lines: PriceLine[];
}

/** Why Stripe would refuse some of these prices; undefined: none. All prices may be 0: then nothing is charged. */
export function refusedByStripe({ minimum, steps }: PriceList, currency: string): string | undefined {
  const least = Math.max(leastCharge(currency), smallestStep(currency));
  const isFree = minimum === 0 && steps.every(({ transfer, conversion }) => transfer === 0 && conversion === 0);
  if (isFree || roundedDown(gigabyte, minimum, currency) >= least) return undefined;
  return `the minimum of ${minimum} ${currency} is below the least that Stripe charges: set at least ${moneyText(least, currency)}`;
}

/** Price of one run over `size` bytes, rounded down in each line, so that no rounding is at the user's cost. */
export function priceOf(list: PriceList, currency: string, type: RunType, size: number): Price {
  const lines: PriceLine[] = [];
  let from = 0;
  for (const step of list.steps) {
    const to = step.upToGb === undefined ? Number.POSITIVE_INFINITY : Math.round(step.upToGb * gigabyte);
    const bytes = Math.min(size, to) - from;
    if (bytes <= 0) break;
    const amount = roundedDown(bytes, step[type], currency);
    // To the byte, so that a reader can multiply.
    const gigabytes = (bytes / gigabyte).toFixed(9).replace(/\.?0+$/, "");
    lines.push({ text: `${gigabytes} GB × ${step[type]} ${currency} (${type})`, amount });
    from = to;
  }
  const sum = lines.reduce((total, { amount }) => total + amount, 0);
  const least = roundedDown(gigabyte, list.minimum, currency);
  if (sum >= least) return { amount: sum, lines };
  lines.push({ text: `up to the minimum of ${moneyText(least, currency)}`, amount: least - sum });
  return { amount: least, lines };
}

/** The largest size in bytes whose price is at most `amount`; 0: there is none. */
export function largestFor(list: PriceList, currency: string, type: RunType, amount: number): number {
  let [fits, above] = [0, Number.MAX_SAFE_INTEGER];
  while (above - fits > 1) {
    const middle = fits + Math.floor((above - fits) / 2);
    if (priceOf(list, currency, type, middle).amount <= amount) fits = middle;
    else above = middle;
  }
  return fits;
}

function roundedDown(bytes: number, each: number, currency: string): number {
  const step = smallestStep(currency);
  const exact = BigInt(bytes) * BigInt(Math.round(each * millionths)) * BigInt(smallestIn(currency));
  const one = BigInt(gigabyte) * BigInt(millionths) * BigInt(step);
  return Number(exact / one) * step;
}
