import * as z from "zod";
import { checkout } from "../../requests/migrations/checkout.ts";
import { resetMigration } from "../../requests/migrations/reset.ts";
import { retry } from "../../requests/migrations/retry.ts";
import {
  againSchema,
  checkoutSchema,
  idSchema,
  resetResponseSchema,
  resetSchema,
  retrySchema,
} from "../../requests/migrations/view/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { keyOf, taggedOperations } from "./authenticated.ts";
import { actedExample, pairExample, payableExample } from "./migration-examples.ts";

/** What is done to a migration that is there. */

const { ofTeam } = taggedOperations("Migrations");
const params = z.object({ id: idSchema });

export const migrationActionOperations: readonly Operation[] = [
  ofTeam({
    id: "checkoutMigration",
    method: "post",
    path: "/api/migrations/{id}/checkout",
    summary: "Restart the checkout",
    description:
      "Returns the link where the user authorizes the payment of a migration that is `awaiting_payment`. If the page was closed, it is a new link. Without a payment to authorize it is 409 `nothing_to_pay`.",
    params,
    idempotent: true,
    answer: { status: 200, description: "The link.", schema: checkoutSchema },
    problems: ["not_found", "other_team", "nothing_to_pay", "state_conflict", "limit_reached", "busy", "unavailable"],
    examples: {
      response: {
        ...payableExample("Open `checkout_url` and authorize the payment. The run then starts."),
        amount: 12,
        checkout_url: "https://checkout.stripe.com/c/pay/cs_test_a1",
      },
    },
    run: async (world, caller, call) => ({ body: await checkout(world, caller, call.params.id) }),
  }),
  ofTeam({
    id: "retryMigration",
    method: "post",
    path: "/api/migrations/{id}/retry",
    summary: "Retry a failed migration",
    description:
      "Queues a failed migration again. Finished tables of an earlier run are kept if they are equal to the source, and other tables are copied again. A wrong password or host needs no new migration: give `source_url` and `target_url`, both. A URL of another database starts the copy anew, as a reset does. The price stays. If a payment is due again, the response has `checkout_url`: open it and authorize the payment. With an `Idempotency-Key` a repeat does not start another run.",
    params,
    body: retrySchema,
    bodyOptional: true,
    idempotent: true,
    answer: { status: 202, description: "The migration is queued again.", schema: againSchema },
    problems: [
      "not_found",
      "other_team",
      "state_conflict",
      "limit_reached",
      "url_refused",
      "idempotency_key_reused",
      "busy",
      "unavailable",
    ],
    examples: {
      request: pairExample,
      response: actedExample("The migration is queued again: poll it until its status is completed or failed."),
    },
    run: async (world, caller, call) => ({
      body: await retry(world, caller, { ...call.params, urls: call.body, ...keyOf(call) }),
    }),
  }),
  ofTeam({
    id: "resetMigration",
    method: "post",
    path: "/api/migrations/{id}/reset",
    summary: "Reset a migration",
    description:
      "Without `confirm` it changes nothing: the response (200) lists the tables to drop, and the price of the next run. With `confirm: true` it stops a run in progress, drops from the target what this migration made there and nothing else, and runs it again (202). If a payment is due again, the response has `checkout_url`. A reset does not cancel: the copy runs again.",
    params,
    body: resetSchema,
    bodyOptional: true,
    idempotent: true,
    answer: { status: 202, description: "The migration is being reset.", schema: resetResponseSchema },
    alsoAnswers: [
      { status: 200, description: "A preview of the reset; nothing was changed.", schema: resetResponseSchema },
    ],
    problems: [
      "not_found",
      "other_team",
      "state_conflict",
      "limit_reached",
      "idempotency_key_reused",
      "busy",
      "unavailable",
    ],
    examples: {
      request: { confirm: true },
      response: actedExample(
        "The migration's tables and objects in the target are being dropped, then it runs again: poll it until its status is completed or failed.",
      ),
    },
    async run(world, caller, call) {
      const { confirm } = call.body;
      const body = await resetMigration(world, caller, { ...call.params, confirm, ...keyOf(call) });
      return confirm ? { body } : { status: 200, body };
    },
  }),
];
