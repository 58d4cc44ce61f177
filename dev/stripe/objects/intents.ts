import { blank } from "../state/blank.ts";
import { invalid, StripeFailure } from "../state/errors.ts";
import type { Charge, Intent, Metadata, Session } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { createCharge, createPaymentMethod, type Decline, release } from "./charges.ts";
import { withMetadata } from "./metadata.ts";

export interface NewIntent {
  amount: number;
  currency: string;
  capture_method: Intent["capture_method"];
  customer: string | null;
  description: string | null;
  metadata: Metadata;
}

export const createIntent = (world: World, fields: NewIntent): Intent => {
  const id = world.newId("pi");
  const intent: Intent = world.create({
    ...blank.intent,
    ...fields,
    id,
    object: "payment_intent",
    created: world.now(),
    amount_details: { tip: {} },
    canceled_at: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_simulator`,
    latest_charge: null,
    payment_method: null,
    status: "requires_payment_method",
  });
  world.emit("payment_intent.created", intent);
  return intent;
};

/** The card agrees: a hold with manual capture, else a payment. */
export const authorize = (world: World, intent: Intent): Intent => {
  const method = createPaymentMethod(world, intent.customer);
  const charge = createCharge(world, { ...intent, payment_method: method.id });
  world.emit("charge.succeeded", charge);
  const fields = { latest_charge: charge.id, payment_method: method.id, next_action: null, last_payment_error: null };
  if (intent.capture_method === "manual") {
    const status = "requires_capture";
    const held = world.change(intent, { ...fields, status, amount_capturable: intent.amount });
    world.emit("payment_intent.amount_capturable_updated", held);
    return held;
  }
  const paid = world.change(intent, { ...fields, status: "succeeded", amount_received: intent.amount });
  world.emit("payment_intent.succeeded", paid);
  return paid;
};

/** The card, or the check by its bank, refuses; the intent can be tried again. */
export const refuse = (world: World, intent: Intent, decline: Decline): Intent => {
  const method = createPaymentMethod(world, null);
  // A failed 3-D Secure never reaches the card.
  const charge =
    decline.decline_code === undefined
      ? undefined
      : createCharge(world, { ...intent, payment_method: method.id }, decline);
  if (charge !== undefined) world.emit("charge.failed", charge);
  const after = world.change(intent, {
    status: "requires_payment_method",
    latest_charge: charge?.id ?? intent.latest_charge,
    next_action: null,
    last_payment_error: {
      ...(charge === undefined ? {} : { charge: charge.id }),
      ...decline,
      payment_method: method,
      type: charge === undefined ? "invalid_request_error" : "card_error",
    },
  });
  world.emit("payment_intent.payment_failed", after);
  return after;
};

/** The card's bank wants 3-D Secure on a page of its own. */
export const requireAction = (world: World, intent: Intent, url: string): Intent => {
  const after = world.change(intent, {
    status: "requires_action",
    next_action: { redirect_to_url: { return_url: null, url }, type: "redirect_to_url" },
    last_payment_error: null,
  });
  world.emit("payment_intent.requires_action", after);
  return after;
};

export const updateIntent = (
  world: World,
  id: string,
  { metadata, ...fields }: { metadata?: Metadata; description?: string },
): Intent => {
  const intent = world.get<Intent>("payment_intent", id, "intent");
  return world.change(intent, { ...fields, metadata: withMetadata(intent.metadata, metadata) });
};

const captureStates = "Only a PaymentIntent with one of the following statuses may be captured: requires_capture.";

/** Takes the money of a hold, all or less; the rest is released. */
export const captureIntent = (
  world: World,
  id: string,
  { amount_to_capture, metadata }: { amount_to_capture?: number; metadata?: Metadata },
): Intent => {
  const intent = world.get<Intent>("payment_intent", id, "intent");
  const code = "payment_intent_unexpected_state";
  if (intent.status === "succeeded") {
    const message = "This PaymentIntent could not be captured because it has already been captured.";
    throw invalid(message, { code, payment_intent: intent });
  }
  if (intent.status !== "requires_capture") {
    const message = `This PaymentIntent could not be captured because it has a status of ${intent.status}.`;
    throw invalid(`${message} ${captureStates}`, { code, payment_intent: intent });
  }
  const amount = amount_to_capture ?? intent.amount_capturable;
  if (amount > intent.amount_capturable) {
    const message =
      "The payment could not be captured because the requested capture amount is greater than the authorized amount.";
    throw invalid(message, { code: "amount_too_large", param: "amount_to_capture", payment_intent: intent });
  }
  if (amount < 1) throw invalid("This value must be greater than or equal to 1.", { param: "amount_to_capture" });
  const charge = world.get<Charge>("charge", intent.latest_charge ?? "", "charge");
  const captured = world.change(charge, { captured: true, amount_captured: amount });
  const rest = amount < charge.amount ? release(world, captured, null) : captured;
  world.emit("charge.captured", rest);
  const after = world.change(intent, {
    status: "succeeded",
    amount_capturable: 0,
    amount_received: amount,
    metadata: withMetadata(intent.metadata, metadata),
  });
  world.emit("payment_intent.succeeded", after);
  const session = sessionOf(world, intent);
  if (session !== undefined) world.change(session, { payment_status: "paid" });
  return after;
};

const cancelable = ["requires_payment_method", "requires_capture", "requires_confirmation", "requires_action"];

/** Releases a hold, or ends an intent that was never paid. */
export const cancelIntent = (world: World, id: string, reason: string | null): Intent => {
  const intent = world.get<Intent>("payment_intent", id, "intent");
  if (!cancelable.includes(intent.status)) {
    const message = `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`;
    const states = `Only a PaymentIntent with one of the following statuses may be canceled: ${cancelable.join(", ")}, processing.`;
    throw invalid(`${message} ${states}`, { code: "payment_intent_unexpected_state", payment_intent: intent });
  }
  // Stripe: only a hold can be cancelled beside its Checkout Session; before that, the session must be expired.
  if (sessionOf(world, intent) !== undefined && intent.status !== "requires_capture") {
    throw invalid(
      "You cannot perform this action on PaymentIntents created by Checkout. (Hint: The feature you are trying to use is deprecated.)",
      { payment_intent: intent },
    );
  }
  return endIntent(world, intent, reason);
};

/** Cancels without asking whether one may: for Stripe itself, when a session or a hold lapses. */
export const endIntent = (world: World, intent: Intent, reason: string | null): Intent => {
  const charge = world.find<Charge>(intent.latest_charge);
  if (intent.status === "requires_capture" && charge !== undefined) {
    const lapsed = reason === "expired";
    const after = release(world, charge, lapsed ? "expired_uncaptured_charge" : null);
    world.emit(lapsed ? "charge.expired" : "charge.refunded", after);
  }
  const after = world.change(intent, {
    status: "canceled",
    amount_capturable: 0,
    canceled_at: world.now(),
    cancellation_reason: reason,
    next_action: null,
  });
  world.emit("payment_intent.canceled", after);
  return after;
};

const sessionOf = (world: World, intent: Intent): Session | undefined =>
  world.all<Session>("checkout.session").find(({ payment_intent }) => payment_intent === intent.id);

/** Of `POST /v1/payment_intents`: confirmed at once with one of Stripe's test cards, or not at all. */
export const createIntentByApi = (
  world: World,
  fields: NewIntent,
  { confirm, payment_method }: { confirm: boolean; payment_method: string | undefined },
): Intent => {
  const intent = createIntent(world, fields);
  if (!confirm) return intent;
  if (payment_method === "pm_card_visa") return authorize(world, intent);
  const decline: Decline = {
    code: "card_declined",
    decline_code: "generic_decline",
    message: "Your card was declined.",
  };
  const after = refuse(world, intent, decline);
  throw new StripeFailure(402, "card_error", decline.message, { ...decline, payment_intent: after });
};
