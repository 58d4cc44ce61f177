import { declineCard, failThreeDSecure, openSession, payByCard, startThreeDSecure } from "../objects/checkout.ts";
import { itemsOf } from "../objects/sessions.ts";
import { StripeFailure } from "../state/errors.ts";
import type { Intent, Session } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { html, layout, money } from "./layout.ts";

/** A page, or where the browser goes next. */
export type PageAnswer = { status: number; html: string } | { location: string };

/** The page of a Checkout Session, where a person authorises a payment; `fields` is what the form sent. */
export const checkoutPage = (world: World, id: string, step: string, fields: URLSearchParams | null): PageAnswer => {
  const session = world.find<Session>(id);
  if (session?.object !== "checkout.session")
    return gone("Page not found", "No checkout session has this address.", 404);
  try {
    openSession(world, id);
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return gone(error.message, back(session), session.status === "complete" ? 200 : 410);
  }
  if (step === "3ds") return fields === null ? bank(world, session) : afterBank(world, session, fields.get("action"));
  return fields === null ? form(world, session) : pressed(world, session, fields);
};

const pressed = (world: World, session: Session, fields: URLSearchParams): PageAnswer => {
  const email = fields.get("email")?.trim();
  const action = fields.get("action");
  if (action === "authorize") {
    payByCard(world, session.id, email === undefined || email === "" ? {} : { email });
    return { location: successUrl(session) };
  }
  if (action === "three_d_secure") {
    startThreeDSecure(world, session.id);
    return { location: `/c/pay/${session.id}/3ds` };
  }
  if (action !== "decline") return { location: `/c/pay/${session.id}` };
  const after = declineCard(world, session.id);
  return form(world, after, "Your card was declined. Try again, or use another card.");
};

const afterBank = (world: World, session: Session, action: string | null): PageAnswer => {
  if (action === "complete") {
    payByCard(world, session.id);
    return { location: successUrl(session) };
  }
  const after = failThreeDSecure(world, session.id);
  return form(world, after, "Your bank did not confirm the payment. Try again, or use another card.");
};

/** Stripe fills in the session's id wherever the address names it. */
const successUrl = ({ success_url, id }: Session): string =>
  new URL(success_url.replaceAll("{CHECKOUT_SESSION_ID}", id)).href;

const form = (world: World, session: Session, error?: string): PageAnswer => {
  const { amount_total, currency, mode, customer } = session;
  const items = itemsOf(world, session.id).map(
    (item) => `<dt>${html(item.description)}${item.quantity > 1 ? ` × ${item.quantity}` : ""}</dt>
<dd>${html(money(item.amount_total, currency))}</dd>`,
  );
  const hold =
    (world.note(session.id)["payment"] as { capture_method?: string } | undefined)?.capture_method === "manual";
  const consequence =
    mode === "subscription"
      ? "The card is charged now, and again in each period until you cancel."
      : hold
        ? "The amount is held on the card. It is charged only later, and released otherwise."
        : "The card is charged now.";
  const email =
    customer === null ? `<label>E-mail (optional) <input type="email" name="email" autocomplete="email"></label>` : "";
  const body = `${error === undefined ? "" : `<p class="error" role="alert">${html(error)}</p>`}
<dl>${items.join("\n")}<dt><strong>Total</strong></dt><dd><strong>${html(money(amount_total, currency))}</strong></dd></dl>
<p>${consequence}</p>
<form method="post" action="/c/pay/${html(session.id)}">
${email}
<button class="main" name="action" value="authorize">Authorize</button>
<button name="action" value="three_d_secure">3-D Secure: the bank asks first</button>
<button name="action" value="decline">Decline: the card refuses</button>
</form>
${back(session)}`;
  return { status: error === undefined ? 200 : 402, html: layout(mode === "subscription" ? "Subscribe" : "Pay", body) };
};

const bank = (world: World, session: Session): PageAnswer => {
  const intent = world.find<Intent>(session.payment_intent);
  const amount = money(intent?.amount ?? session.amount_total, intent?.currency ?? session.currency);
  const body = `<p>Your bank asks whether you want to pay ${html(amount)}.</p>
<form method="post" action="/c/pay/${html(session.id)}/3ds">
<button class="main" name="action" value="complete">Complete: confirm the payment</button>
<button name="action" value="fail">Fail: do not confirm</button>
</form>`;
  return { status: 200, html: layout("3-D Secure", body) };
};

const back = ({ cancel_url }: Session): string =>
  cancel_url === null ? "" : `<p><a href="${html(cancel_url)}">Cancel and go back</a></p>`;

/** `body` is HTML or plain words without any. */
const gone = (title: string, body: string, status: number): PageAnswer => ({
  status,
  html: layout(title, body.startsWith("<") || body === "" ? body : `<p>${body}</p>`),
});
