import { PaymentsError } from "../../billing/stripe-client.ts";
import { Problem } from "../errors.ts";

/** A failed request to Stripe in a caller's words; any other error is returned as it is. */
export function fromStripe(error: unknown): unknown {
  if (!(error instanceof PaymentsError)) return error;
  const detail =
    error.code === "unavailable"
      ? "Stripe does not respond. Nothing was charged. Try again later."
      : "Stripe rejects this installation's request. Nothing was charged. Tell your administrator.";
  return new Problem("unavailable", detail, { retryAfter: 10, cause: error });
}

/** The answer to a request to Stripe. Throws Problem `unavailable` where it fails, and any other error as it is. */
export async function requestStripe<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw fromStripe(error);
  }
}
