import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import Stripe from "stripe";

/** Stripe's SDK with the installation's key, and its errors as `PaymentsError`. Only files of this folder use it. */
export interface StripeClient {
  stripe: Stripe;
  /** Runs one request. Errors: PaymentsError. */
  call<T>(request: () => Promise<T>): Promise<T>;
}

/** `unavailable`: a later try can succeed. `refused`: Stripe rejects the request. `denied`: the key is wrong or lacks a right. */
export type PaymentsErrorCode = "unavailable" | "refused" | "denied";

/** The message never contains Stripe's own text, which can contain parts of the key. */
export class PaymentsError extends Error {
  readonly code: PaymentsErrorCode;
  /** Stripe's own code, such as `payment_intent_unexpected_state`. */
  readonly reason: string | undefined;
  /** With `denied`: the right that the restricted key lacks, such as `rak_customer_write`, if Stripe names it. */
  readonly right: string | undefined;
  constructor(code: PaymentsErrorCode, message: string, reason?: string, right?: string) {
    super(message);
    this.name = "PaymentsError";
    this.code = code;
    this.reason = reason;
    this.right = right;
  }
}

interface StripeOptions {
  /** Secret or restricted key. */
  key: string;
  /** Another server than Stripe's: the simulator, `http://127.0.0.1:12111`. */
  url?: string;
  /** Milliseconds of one try. */
  timeout?: number;
  /** Called with each error, to count and log it. */
  failed?: (error: PaymentsError) => void;
}

export function createStripeClient({ key, url, timeout = 10_000, failed = () => {} }: StripeOptions): StripeClient {
  const at = url === undefined ? undefined : new URL(url);
  const isHttps = at?.protocol === "https:";
  // The SDK's own timeout begins when the connection is there; the agent's also ends one that is never taken.
  const kept = { keepAlive: true, timeout };
  const stripe = new Stripe(key, {
    timeout,
    httpClient: Stripe.createNodeHttpClient(at === undefined || isHttps ? new HttpsAgent(kept) : new HttpAgent(kept)),
    maxNetworkRetries: 1,
    telemetry: false,
    ...(at === undefined
      ? {}
      : {
          host: at.hostname,
          port: at.port === "" ? (isHttps ? 443 : 80) : Number(at.port),
          protocol: isHttps ? ("https" as const) : ("http" as const),
        }),
  });
  return {
    stripe,
    async call(request) {
      try {
        return await request();
      } catch (error) {
        const translated = error instanceof PaymentsError ? error : translate(error);
        failed(translated);
        throw translated;
      }
    },
  };
}

function translate(error: unknown): PaymentsError {
  const { StripeAuthenticationError, StripePermissionError, StripeError } = Stripe.errors;
  const reason = error instanceof StripeError ? error.code : undefined;
  if (error instanceof StripeAuthenticationError)
    return new PaymentsError("denied", "Stripe rejects the API key as invalid or expired.", reason);
  if (error instanceof StripePermissionError) {
    const right = rightIn(error.message);
    return new PaymentsError(
      "denied",
      right === undefined
        ? "Stripe's API key lacks a permission. Compare the key's permissions with docs/billing.md."
        : `Stripe's API key lacks the permission \`${right}\`. Add it to the key in Stripe's dashboard.`,
      reason,
      right,
    );
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripeCardError)
    return new PaymentsError("refused", "Stripe rejects the request.", reason);
  return new PaymentsError("unavailable", "Stripe cannot be reached or cannot answer.", reason);
}

export const isMissing = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";

/** A time of Stripe's, in ISO 8601. */
export const dated = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Stripe writes "Having the 'rak_customer_write' permission would allow this request to continue". */
export const rightIn = (message: string): string | undefined => /\brak_[a-z_]{3,60}\b/.exec(message)?.[0];
