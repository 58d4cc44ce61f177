import type { Migration } from "../../src/resources/migration.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import { carriedTo } from "./sums.ts";

/** The payment's status after a request that Stripe denied: what was known of this checkout stays. Undefined without a checkout. */
export function deniedPayment({ spec, status }: Migration, message: string, now: Date): PaymentStatus | undefined {
  const before = status?.payment;
  const session = spec.payment?.checkout?.session;
  if (session === undefined) return before;
  const known: PaymentStatus =
    before?.session === session
      ? before
      : {
          state: "awaiting",
          session,
          lookedAt: now.toISOString(),
          ...carriedTo(session, before),
          ...(before?.capturedAt === undefined ? {} : { capturedAt: before.capturedAt }),
        };
  return { ...known, reason: "PaymentKeyDenied", message };
}
