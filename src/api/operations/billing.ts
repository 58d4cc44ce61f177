import { linkSchema, openPortal, subscribe } from "../../requests/billing/links.ts";
import type { Operation } from "../operation.ts";

/** What an account pays, by links at which a human does it. It is the account's, whatever its acting team. */

const tag = "Billing";
const common = { method: "post", tag, auth: "token", withoutTeam: true, tier: "write" } as const;

export const billingOperations: readonly Operation[] = [
  {
    ...common,
    id: "subscribe",
    path: "/api/billing/subscribe",
    summary: "Subscribe to Pro",
    description:
      "A link at which a human subscribes the account to Pro; no migration of a subscriber is charged by itself. Where the installation charges nothing there is nothing to subscribe to.",
    answer: { status: 200, description: "The link.", schema: linkSchema },
    problems: ["nothing_to_pay"],
    examples: {
      response: { message: "Subscribe at url.", url: "https://checkout.stripe.com/c/pay/cs_test_a1" },
    },
    run: async () => ({ body: await subscribe() }),
  },
  {
    ...common,
    id: "openBillingPortal",
    path: "/api/billing/portal",
    summary: "Open the billing portal",
    description:
      "A link at which a human sees the account's invoices, changes its card and ends its subscription. Where the installation charges nothing there is none.",
    answer: { status: 200, description: "The link.", schema: linkSchema },
    problems: ["nothing_to_pay"],
    examples: {
      response: { message: "Invoices and card are at url.", url: "https://billing.stripe.com/p/session/test_a1" },
    },
    run: async () => ({ body: await openPortal() }),
  },
];
