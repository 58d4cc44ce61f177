import type Stripe from "stripe";
import { afterEach, beforeEach } from "vitest";
import type { SimulatorOptions } from "../../dev/stripe/simulator.ts";
import { type Pair, startPair } from "./pair.ts";

/** The pair of the test that runs. */
export let pair: Pair;
/** Its client. */
export let stripe: Stripe;

/** Gives every test of the file that calls it a pair of its own, which is closed after the test. */
export function pairForEachTest(options: SimulatorOptions = {}): void {
  beforeEach(async () => {
    pair = await startPair(options);
    stripe = pair.stripe;
  });
  afterEach(() => pair.close());
}
