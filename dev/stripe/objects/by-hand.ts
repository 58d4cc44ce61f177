import { blank } from "../state/blank.ts";
import { invalid } from "../state/errors.ts";
import type { Charge, Dispute, Intent, Refund } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { giveBack } from "./charges.ts";

/** A refund that somebody makes in Stripe's dashboard, all or a part of what was captured. */
export const refundByHand = (world: World, intentId: string, amount?: number): Refund => {
  const charge = capturedCharge(world, intentId);
  const left = charge.amount_captured - (charge.amount_refunded - (charge.amount - charge.amount_captured));
  const wanted = amount ?? left;
  if (wanted < 1 || wanted > left)
    throw invalid(`Refund amount (${wanted}) is greater than unrefunded amount (${left}).`);
  const { charge: after, refund } = giveBack(world, charge, wanted, "requested_by_customer");
  world.emit("refund.created", refund);
  world.emit("charge.refunded", after);
  return refund;
};

/** The card's owner disputes a payment with the bank. */
export const openDispute = (world: World, intentId: string, amount?: number): Dispute => {
  const charge = capturedCharge(world, intentId);
  const dispute: Dispute = world.create({
    ...blank.dispute,
    id: world.newId("du"),
    object: "dispute",
    created: world.now(),
    amount: amount ?? charge.amount_captured,
    charge: charge.id,
    currency: charge.currency,
    is_charge_refundable: false,
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand: "visa", case_type: "chargeback", network: "visa", network_reason_code: null },
      type: "card",
    },
    status: "needs_response",
  });
  world.change(charge, { disputed: true });
  world.emit("charge.dispute.created", dispute);
  world.emit("charge.dispute.funds_withdrawn", dispute);
  return dispute;
};

export const closeDispute = (world: World, id: string, status: "won" | "lost"): Dispute => {
  const closed = world.change(world.get<Dispute>("dispute", id, "dispute"), { status });
  if (status === "won") world.emit("charge.dispute.funds_reinstated", closed);
  world.emit("charge.dispute.closed", closed);
  return closed;
};

const capturedCharge = (world: World, intentId: string): Charge => {
  const intent = world.get<Intent>("payment_intent", intentId, "intent");
  const charge = world.find<Charge>(intent.latest_charge);
  if (charge?.captured !== true) throw invalid(`The PaymentIntent ${intentId} has no captured charge.`);
  return charge;
};
