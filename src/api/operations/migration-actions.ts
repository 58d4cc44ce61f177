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
import { callerOf } from "./identity.ts";
import { actedExample, pairExample, payableExample } from "./migration-examples.ts";

/** What is done to a migration that is there. */

const tag = "Migrations";
const params = z.object({ id: idSchema });

export const migrationActionOperations: readonly Operation[] = [
  {
    id: "checkoutMigration",
    method: "post",
    path: "/api/migrations/{id}/checkout",
    summary: "Restart the checkout",
    description:
      "Returns the link where the user authorizes the payment of a migration that is `awaiting_payment`. If the page was closed, it is a new link. Without a payment to authorize it is 409 `nothing_to_pay`.",
    tag,
    auth: "token",
    tier: "write",
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
    async run(world, call) {
      return { body: await checkout(world, callerOf(call), params.parse(call.params).id) };
    },
  },
  {
    id: "retryMigration",
    method: "post",
    path: "/api/migrations/{id}/retry",
    summary: "Retry a failed migration",
    description:
      "Queues a failed migration again. Finished tables of an earlier run are kept if they are equal to the source, and other tables are copied again. A wrong password or host needs no new migration: give `source_url` and `target_url`, both. A URL of another database starts the copy anew, as a reset does. The price stays. If a payment is due again, the response has `checkout_url`: open it and authorize the payment. With an `Idempotency-Key` a repeat does not start another run.",
    tag,
    auth: "token",
    tier: "write",
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
    async run(world, call) {
      const { id } = params.parse(call.params);
      const key = call.idempotencyKey === undefined ? {} : { idempotencyKey: call.idempotencyKey };
      return { body: await retry(world, callerOf(call), { id, urls: retrySchema.parse(call.body), ...key }) };
    },
  },
  {
    id: "resetMigration",
    method: "post",
    path: "/api/migrations/{id}/reset",
    summary: "Reset a migration",
    description:
      "Without `confirm` it changes nothing: the response (200) lists the tables to drop, and the price of the next run. With `confirm: true` it stops a run in progress, drops from the target what this migration made there and nothing else, and runs it again (202). If a payment is due again, the response has `checkout_url`. A reset does not cancel: the copy runs again.",
    tag,
    auth: "token",
    tier: "write",
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
    async run(world, call) {
      const { confirm } = resetSchema.parse(call.body);
      const { id } = params.parse(call.params);
      const key = call.idempotencyKey === undefined ? {} : { idempotencyKey: call.idempotencyKey };
      const body = await resetMigration(world, callerOf(call), { id, confirm, ...key });
      return confirm ? { body } : { status: 200, body };
    },
  },
];
