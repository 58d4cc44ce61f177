import type { Charge, Intent, Invoice, Session, Subscription } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { endIntent } from "./intents.ts";
import { endSession } from "./sessions.ts";
import { periodEnd, renew, settleInvoice } from "./subscriptions.ts";

interface Due {
  at: number;
  act(): void;
}

/** Does all that the clock has passed, in order and each at its own time. */
export const settle = (world: World): void => {
  const until = world.now();
  for (let next = earliest(world); next !== undefined && next.at <= until; next = earliest(world)) {
    world.within({ at: next.at, cause: null }, next.act);
  }
};

const earliest = (world: World): Due | undefined => {
  let first: Due | undefined;
  const add = (at: number | null | undefined, act: () => void): void => {
    if (at !== null && at !== undefined && (first === undefined || at < first.at)) first = { at, act };
  };
  for (const session of world.all<Session>("checkout.session")) {
    if (session.status === "open") add(session.expires_at, () => endSession(world, session));
  }
  for (const intent of world.all<Intent>("payment_intent")) {
    if (intent.status !== "requires_capture") continue;
    const charge = world.find<Charge>(intent.latest_charge);
    add(charge?.payment_method_details.card.capture_before, () => endIntent(world, intent, "expired"));
  }
  for (const subscription of world.all<Subscription>("subscription")) {
    if (subscription.status !== "canceled") add(periodEnd(subscription), () => renew(world, subscription));
  }
  for (const invoice of world.all<Invoice>("invoice")) {
    if (invoice.status === "open") add(invoice.next_payment_attempt, () => settleInvoice(world, invoice));
  }
  return first;
};
