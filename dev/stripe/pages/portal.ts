import { cancelInPortal, keepInPortal, subscriptionsOf } from "../objects/portal.ts";
import { periodEnd } from "../objects/subscriptions.ts";
import type { Invoice, PortalSession, Subscription } from "../state/types.ts";
import type { World } from "../state/world.ts";
import type { PageAnswer } from "./checkout.ts";
import { day, html, layout, money } from "./layout.ts";

/** The customer portal, where a person cancels a subscription; `fields` is what the form sent. */
export const portalPage = (world: World, id: string, fields: URLSearchParams | null): PageAnswer => {
  const session = world.find<PortalSession>(id);
  if (session?.object !== "billing_portal.session") {
    return { status: 404, html: layout("Page not found", "<p>No portal session has this address.</p>") };
  }
  if (fields === null) return overview(world, session);
  const wanted = fields.get("subscription") ?? "";
  const own = subscriptionsOf(world, session.customer).find((one) => one.id === wanted && one.status !== "canceled");
  if (own !== undefined) {
    if (fields.get("action") === "cancel") cancelInPortal(world, own.id);
    if (fields.get("action") === "keep") keepInPortal(world, own.id);
  }
  return { location: `/p/session/${session.id}` };
};

const overview = (world: World, session: PortalSession): PageAnswer => {
  const own = subscriptionsOf(world, session.customer);
  const invoices = world.all<Invoice>("invoice").filter(({ customer }) => customer === session.customer);
  const rows = invoices
    .reverse()
    .map(
      ({ created, amount_due, currency, status }) =>
        `<li>${day(created)}: ${money(amount_due, currency)}, ${status}</li>`,
    );
  const body = `${own.length === 0 ? "<p>No subscriptions.</p>" : own.map((one) => section(world, session, one)).join("\n")}
<h2>Invoices</h2>
${rows.length === 0 ? "<p>No invoices.</p>" : `<ul>${rows.join("\n")}</ul>`}
${session.return_url === null ? "" : `<p><a href="${html(session.return_url)}">Go back</a></p>`}`;
  return { status: 200, html: layout("Billing", body) };
};

const section = (world: World, session: PortalSession, subscription: Subscription): string => {
  const item = subscription.items.data[0];
  const name = String(world.find(item?.price.product ?? null)?.["name"] ?? "Subscription");
  const price =
    item === undefined
      ? ""
      : `${money(item.price.unit_amount, item.price.currency)} per ${item.price.recurring?.interval}`;
  const end = day(periodEnd(subscription));
  const state =
    subscription.status === "canceled"
      ? "Canceled."
      : subscription.cancel_at_period_end
        ? `Ends on ${end}.`
        : `${subscription.status === "past_due" ? "The last payment failed. " : ""}Renews on ${end}.`;
  const [action, words] = subscription.cancel_at_period_end
    ? ["keep", "Keep subscription"]
    : ["cancel", "Cancel subscription"];
  const form = `<form method="post" action="/p/session/${html(session.id)}">
<input type="hidden" name="subscription" value="${html(subscription.id)}">
<button name="action" value="${action}">${words}</button>
</form>`;
  return `<h2>${html(name)}</h2>
<p>${html(price)}. ${html(state)}</p>
${subscription.status === "canceled" ? "" : form}`;
};
