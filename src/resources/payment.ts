import * as z from "zod";
import { group } from "./group.ts";

/**
 * Payment of a Migration that came through the API of an installation with billing. `spec.payment` says which of the billing model's
 * three cases it is (interface.md, section 1) and is written by the API alone; without it a Migration never meets billing.
 * `status.payment` says what Stripe said last, and is written by the operator under a field manager of its own.
 */

/** On a Migration while its checkout or hold is open. */
export const paymentFinalizer = `${group}/payment`;

/** Annotation: id of the last of Stripe's events about it, so that the operator looks at once. */
export const paymentHint = `${group}/payment-event`;

const timestamp = z.iso.datetime();
const smallest = (what: string) => z.int().min(0).describe(`${what}, in the currency's smallest unit, such as cents.`);

export const paymentSpecSchema = z
  .object({
    by: z
      .enum(["plan", "free", "hold"])
      .describe(
        "Payment of its runs: `plan` (the account's plan), `free` (the free first migration) or `hold` (a hold on a card, captured after verification).",
      ),
    account: z.string().min(1).max(63).describe("Name of the Account that created it and pays."),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe("ISO 4217 code of the currency, upper case."),
    amount: smallest("Price that was shown; never more is captured"),
    quotedSize: z
      .int()
      .min(0)
      .optional()
      .describe(
        "Bytes of the source that the price is for. A run of a source that is more than 10 % larger fails before it writes anything.",
      ),
    checkout: z
      .object({
        session: z.string().min(1).max(255).describe("Id of the Stripe Checkout Session."),
        url: z.url().max(2048).describe("Page where a person authorizes the hold."),
        expiresAt: timestamp.describe("When Stripe closes the page."),
        number: z.int().min(1).max(1000).describe("Number of the checkout; each new one adds one."),
        run: z
          .int()
          .min(1)
          .optional()
          .describe("The first run that it pays for; no earlier run is captured from its hold. 1 by default."),
      })
      .optional()
      .describe("The last checkout. Earlier ones are closed."),
  })
  .describe(
    "Payment of the runs, as the response to create showed it. The API writes it. A Migration without it is never charged.",
  );
export type PaymentSpec = z.output<typeof paymentSpecSchema>;

export const paymentStatusSchema = z
  .object({
    state: z
      .enum(["awaiting", "authorized", "captured", "released", "lapsed"])
      .describe(
        "State of the last checkout: `awaiting` (no hold yet), `authorized` (hold), `captured` (charged), `released` (not charged) or `lapsed` (the bank ended the hold, not charged).",
      ),
    session: z.string().max(255).describe("Id of the Stripe Checkout Session that this status is about."),
    intent: z.string().max(255).optional().describe("Id of the Stripe PaymentIntent."),
    captureBefore: timestamp.optional().describe("When the hold ends. A run that ends later is not charged."),
    captured: smallest("Captured amount, over all checkouts, without refunds of earlier checkouts").optional(),
    refunded: smallest("Amount of the last checkout that was refunded by hand at Stripe").optional(),
    earlier: z
      .array(z.object({ session: z.string().max(255), refunded: smallest("Refunded amount") }))
      .max(20)
      .optional()
      .describe("Earlier checkouts that were captured; a refund of one lowers `captured`."),
    capturedAt: timestamp.optional().describe("Time of the last capture; for seven days it also pays for a reset."),
    message: z.string().max(1024).optional().describe("Message for the person who pays."),
    reason: z
      .string()
      .max(128)
      .optional()
      .describe("Why the payment is stopped: PaymentKeyDenied (`message` names the permission) or PaymentProcessing."),
    lookedAt: timestamp.describe("Time of the last request to Stripe about it."),
    hint: z.string().max(255).optional().describe("Id of the last Stripe event that was followed."),
  })
  .describe("State of the payment at Stripe; the operator writes it.");
export type PaymentStatus = z.output<typeof paymentStatusSchema>;
