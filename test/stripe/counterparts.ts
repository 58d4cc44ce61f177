import Stripe from "stripe";
import { startPair } from "./pair.ts";

/** Something that answers as Stripe does: always the simulator, and Stripe itself with a test-mode key. */
export interface Counterpart {
  name: string;
  open(): Promise<{ stripe: Stripe; close(): Promise<void> }>;
}

const key = process.env["STRIPE_TEST_KEY"];
// A key of live mode would move money.
if (key !== undefined && !/^[rs]k_test_/.test(key)) {
  throw new Error("STRIPE_TEST_KEY is not a key of Stripe's test mode");
}

export const counterparts: readonly Counterpart[] = [
  { name: "the simulator", open: () => startPair() },
  ...(key === undefined
    ? []
    : [
        {
          name: "Stripe",
          open: async () => ({ stripe: new Stripe(key, { maxNetworkRetries: 0 }), close: async () => {} }),
        },
      ]),
];
