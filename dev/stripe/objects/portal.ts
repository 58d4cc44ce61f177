import { blank } from "../state/blank.ts";
import type { Customer, PortalSession, Subscription } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { cancelSubscription, updateSubscription } from "./subscriptions.ts";

export const createPortalSession = (
  world: World,
  { customer, return_url }: { customer: string; return_url?: string },
): PortalSession => {
  world.get<Customer>("customer", customer, "customer");
  const id = world.newId("bps");
  const session: PortalSession = world.create({
    ...blank.portalSession,
    id,
    object: "billing_portal.session",
    created: world.now(),
    customer,
    return_url: return_url ?? null,
    url: `${world.settings.url}/p/session/${id}`,
  });
  world.emit("billing_portal.session.created", session);
  return session;
};

/** A customer's subscriptions, those that ended last. */
export const subscriptionsOf = (world: World, customer: string): Subscription[] => {
  const own = world.all<Subscription>("subscription").filter((one) => one.customer === customer);
  const ended = ({ status }: Subscription): boolean => status === "canceled";
  return [...own.filter((one) => !ended(one)), ...own.filter(ended)];
};

/** Button "Cancel subscription": at the end of the paid time or at once, as the account's owner chose. */
export const cancelInPortal = (world: World, id: string): Subscription =>
  world.settings.portalCancels === "immediately"
    ? cancelSubscription(world, id)
    : updateSubscription(world, id, { cancel_at_period_end: true });

/** Button "Keep subscription". */
export const keepInPortal = (world: World, id: string): Subscription =>
  updateSubscription(world, id, { cancel_at_period_end: false });
