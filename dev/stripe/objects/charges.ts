import { blank } from "../state/blank.ts";
import type { Charge, Intent, Thing } from "../state/types.ts";
import type { World } from "../state/world.ts";

/** How a card refused. */
export interface Decline {
  code: string;
  decline_code?: string;
  message: string;
}

export const declined: Decline = {
  code: "card_declined",
  decline_code: "generic_decline",
  message: "Your card was declined.",
};

export const createPaymentMethod = (world: World, customer: string | null): Thing =>
  world.create({
    ...blank.paymentMethod,
    id: world.newId("pm"),
    object: "payment_method",
    created: world.now(),
    customer,
  });

/** One attempt to charge an intent's card: a hold with manual capture, a payment otherwise, or a refusal. */
export const createCharge = (world: World, intent: Intent, decline?: Decline): Charge => {
  const hold = intent.capture_method === "manual" && decline === undefined;
  const paid = !hold && decline === undefined;
  const outcome =
    decline === undefined
      ? blank.outcome
      : {
          ...blank.outcome,
          network_status: "declined_by_network",
          reason: decline.decline_code ?? decline.code,
          seller_message: "The bank did not return any further details with this decline.",
          type: "issuer_declined",
        };
  const card = {
    ...blank.cardDetails,
    amount_authorized: decline === undefined ? intent.amount : null,
    ...(hold ? { capture_before: world.now() + world.settings.holdSeconds } : {}),
    overcapture: { maximum_amount_capturable: intent.amount, status: "unavailable" },
  };
  const charge: Charge = world.create({
    ...blank.charge,
    id: world.newId("ch"),
    object: "charge",
    created: world.now(),
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    captured: paid,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    metadata: intent.metadata,
    outcome,
    paid: decline === undefined,
    payment_intent: intent.id,
    payment_method: intent.payment_method,
    payment_method_details: { card, type: "card" },
    refunded: false,
    status: decline === undefined ? "succeeded" : "failed",
  });
  return charge;
};

/** Gives back what was not captured. Stripe shows it as a refund, also if no money had moved. */
export const release = (world: World, charge: Charge, reason: string | null): Charge => {
  const amount = charge.amount - charge.amount_captured - charge.amount_refunded;
  return giveBack(world, charge, amount, reason).charge;
};

/** A refund of a charge, and the charge after it. */
export const giveBack = (world: World, charge: Charge, amount: number, reason: string | null) => {
  const refund = world.create({
    ...blank.refund,
    id: world.newId("re"),
    object: "refund",
    created: world.now(),
    amount,
    charge: charge.id,
    currency: charge.currency,
    destination_details: { card: { type: charge.captured ? "refund" : "reversal" }, type: "card" },
    payment_intent: charge.payment_intent,
    reason,
  });
  const total = charge.amount_refunded + amount;
  const after = world.change(charge, { amount_refunded: total, refunded: total === charge.amount });
  return { charge: after, refund };
};
