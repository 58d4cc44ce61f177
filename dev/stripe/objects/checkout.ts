import { StripeFailure } from "../state/errors.ts";
import type { Intent, LineItem, Session } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { declined } from "./charges.ts";
import { createCustomer } from "./customers.ts";
import { authorize, createIntent, refuse, requireAction } from "./intents.ts";
import { details, itemsOf, type SessionNote } from "./sessions.ts";
import { startSubscription } from "./subscriptions.ts";

/** What a person may do otherwise than the session wants: only for hostile tests, by the control endpoint. */
export interface Twist {
  amount?: number;
  currency?: string;
  email?: string;
}

/** The session, while its page can still be used. Errors: 409 with the page's words. */
export const openSession = (world: World, id: string): Session => {
  const session = world.get<Session>("checkout.session", id, "session");
  if (session.status === "open") return session;
  const words = session.status === "complete" ? "This payment is complete." : "This checkout session has expired.";
  throw new StripeFailure(409, "invalid_request_error", words);
};

/** Button "Authorize": the card agrees, and the session is complete. */
export const payByCard = (world: World, id: string, twist: Twist = {}): Session => {
  const session = openSession(world, id);
  return session.mode === "payment"
    ? completePayment(world, session, twist)
    : completeSubscription(world, session, twist);
};

/** Button "Decline": the session stays open for another try. */
export const declineCard = (world: World, id: string): Session => {
  const session = openSession(world, id);
  // For a subscription nothing is made before the card agrees.
  if (session.mode === "subscription") return session;
  const { session: begun, intent } = attempt(world, session, {});
  refuse(world, intent, declined);
  return begun;
};

/** Button "3-D Secure": the bank's page comes next. */
export const startThreeDSecure = (world: World, id: string): Session => {
  const session = openSession(world, id);
  if (session.mode === "subscription") return session;
  const { session: begun, intent } = attempt(world, session, {});
  requireAction(world, intent, `${world.settings.url}/c/pay/${id}/3ds`);
  return begun;
};

/** On the bank's page: not confirmed. */
export const failThreeDSecure = (world: World, id: string): Session => {
  const session = openSession(world, id);
  if (session.mode === "subscription") return session;
  const { session: begun, intent } = attempt(world, session, {});
  refuse(world, intent, {
    code: "payment_intent_authentication_failure",
    message:
      "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
  });
  return begun;
};

/** Stripe makes the intent at the first attempt, not with the session (since version 2022-08-01). */
const attempt = (world: World, session: Session, { amount, currency }: Twist): { session: Session; intent: Intent } => {
  const begun = world.find<Intent>(session.payment_intent);
  if (begun !== undefined) {
    const changed = { amount: amount ?? begun.amount, currency: currency ?? begun.currency };
    return { session, intent: world.change(begun, changed) };
  }
  const { payment } = world.note(session.id) as unknown as SessionNote;
  const intent = createIntent(world, {
    amount: amount ?? session.amount_total,
    currency: currency ?? session.currency,
    capture_method: payment.capture_method ?? "automatic_async",
    customer: session.customer,
    description: payment.description ?? null,
    metadata: payment.metadata ?? {},
  });
  return { session: world.change(session, { payment_intent: intent.id }), intent };
};

const completePayment = (world: World, open: Session, twist: Twist): Session => {
  const { session, intent } = attempt(world, open, twist);
  const paid = authorize(world, intent);
  return complete(world, session, twist.email, {
    // Stripe calls a hold unpaid until it is captured.
    payment_status: paid.status === "succeeded" ? "paid" : "unpaid",
  });
};

const completeSubscription = (world: World, session: Session, { email }: Twist): Session => {
  const given = email ?? session.customer_email;
  const customer = session.customer ?? createCustomer(world, given === null ? {} : { email: given }).id;
  const { subscription: data } = world.note(session.id) as unknown as SessionNote;
  const items: LineItem[] = itemsOf(world, session.id);
  const subscription = startSubscription(world, { customer, items, metadata: data.metadata ?? {} });
  return complete(world, session, email, {
    customer,
    invoice: subscription.latest_invoice,
    payment_status: "paid",
    subscription: subscription.id,
  });
};

const complete = (world: World, session: Session, email: string | undefined, fields: Partial<Session>): Session => {
  const before = session["customer_details"] as { email: string | null } | null;
  const after = world.change(session, {
    ...fields,
    customer_details: details(email ?? before?.email ?? "person@example.com"),
    status: "complete",
    url: null,
  });
  world.emit("checkout.session.completed", after);
  return after;
};
