import { linkSchema, openPortal, subscribe } from "../../requests/billing/links.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";

/** Links to Stripe's pages, for a person. They are the account's, independent of the acting team. */

const { ofAccount } = taggedOperations("Billing");

export const billingOperations: readonly Operation[] = [
  ofAccount({
    method: "post",
    id: "subscribe",
    path: "/api/billing/subscribe",
    summary: "Subscribe to Pro",
    description:
      "Returns a link where a person subscribes the account to Pro. Migrations of a subscriber are not charged. While the page is open, every call returns the same link. 409 if the account is subscribed, or if billing is off.",
    answer: { status: 200, description: "The link.", schema: linkSchema },
    problems: ["nothing_to_pay", "state_conflict"],
    examples: {
      response: {
        message: "Open url in a browser to subscribe to Pro.",
        url: "https://checkout.stripe.com/c/pay/cs_test_a1",
      },
    },
    run: async (world, identity) => ({ body: await subscribe(world, identity) }),
  }),
  ofAccount({
    method: "post",
    id: "openBillingPortal",
    path: "/api/billing/portal",
    summary: "Open the billing portal",
    description:
      "Returns a link where a person sees the account's invoices, changes the card and cancels the subscription. 409 if the account has never had a subscription, or if billing is off.",
    answer: { status: 200, description: "The link.", schema: linkSchema },
    problems: ["nothing_to_pay", "state_conflict"],
    examples: {
      response: {
        message: "Open url in a browser for invoices, the card and the subscription.",
        url: "https://billing.stripe.com/p/session/test_a1",
      },
    },
    run: async (world, identity) => ({ body: await openPortal(world, identity) }),
  }),
];
