import type { Intent, SeenCheckout } from "../../src/billing/seen.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";

/** What was captured and refunded over all checkouts of a Migration. Pure. */

type Sums = Pick<PaymentStatus, "captured" | "refunded" | "earlier">;

/** Earlier checkouts at most whose refunds are followed. */
const mostEarlier = 20;

/** What is known of the earlier checkouts of this one. */
export function carriedTo(session: string, before: PaymentStatus | undefined): Omit<Sums, "refunded"> {
  const { captured = 0, refunded = 0, earlier = [] } = before ?? {};
  const left = before?.session === session ? captured : captured - refunded;
  const isNew = before?.session !== session && before?.state === "captured";
  const all = isNew ? [...earlier, { session: before.session, refunded }].slice(-mostEarlier) : earlier;
  return { ...(left > 0 ? { captured: left } : {}), ...(all.length > 0 ? { earlier: all } : {}) };
}

/** Of a new checkout, `captured` starts with what earlier ones captured and did not refund. `earlier`: those as Stripe has them now. */
export function sums(
  before: PaymentStatus | undefined,
  { id, intent }: SeenCheckout,
  earlier: readonly SeenCheckout[],
): Sums {
  const carried = carriedTo(id, before);
  const known = carried.earlier ?? [];
  const now = known.map((one) => {
    const seen = earlier.find((other) => other.id === one.session);
    return { ...one, refunded: seen?.intent?.refunded ?? one.refunded };
  });
  const back = now.reduce((sum, one, at) => sum + one.refunded - (known[at]?.refunded ?? 0), 0);
  const counted = before?.session === id && before.state === "captured" ? capturedOf(intent) : 0;
  const captured = (carried.captured ?? 0) - counted - back + capturedOf(intent);
  const refunded = intent?.refunded ?? 0;
  return {
    ...(captured > 0 ? { captured } : {}),
    ...(refunded > 0 ? { refunded } : {}),
    ...(now.length > 0 ? { earlier: now } : {}),
  };
}

const capturedOf = (intent: Intent | undefined): number => (intent?.status === "succeeded" ? intent.received : 0);
