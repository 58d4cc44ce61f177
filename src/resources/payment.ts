import { z } from "zod";
import { group } from "./group.ts";

/**
 * Payment of a Migration that came through the API of an installation with billing. `spec.payment` says which of the billing model's
 * three cases it is (interface.md, section 1) and is written by the API alone; without it a Migration never meets billing.
 * `status.payment` says what Stripe said last, and is written by the operator under a field manager of its own.
 */

/** Stands while a checkout or a hold is open. */
export const paymentFinalizer = `${group}/payment`;

/** Annotation: id of the last of Stripe's events about it, so that the operator looks at once. */
export const paymentHint = `${group}/payment-event`;

const timestamp = z.iso.datetime();
const smallest = (what: string) => z.int().min(0).describe(`${what}, in the currency's smallest unit, such as cents.`);

export const paymentSpecSchema = z
  .object({
    by: z
      .enum(["plan", "free", "hold"])
      .describe("What covers its runs: the account's plan, the account's free first migration, or a hold on a card."),
    account: z.string().min(1).max(63).describe("Name of the Account that made it, and pays."),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe("ISO 4217."),
    amount: smallest("What was shown, and no more than which is captured"),
    quotedSize: z.int().min(0).optional().describe("Bytes of the source that the price was reckoned for."),
    checkout: z
      .object({
        session: z.string().min(1).max(255).describe("Its id at Stripe."),
        url: z.url().max(2048).describe("Where a person authorises the hold."),
        expiresAt: timestamp.describe("When Stripe closes it."),
        number: z.int().min(1).max(1000).describe("Which checkout of this Migration it is."),
        run: z
          .int()
          .min(1)
          .optional()
          .describe("The first run that it pays for; no earlier run is captured from its hold. 1 by default."),
      })
      .optional()
      .describe("The last checkout; an earlier one was closed before."),
  })
  .describe("What covers the runs, as it was shown at create; written by the API.");
export type PaymentSpec = z.output<typeof paymentSpecSchema>;

export const paymentStatusSchema = z
  .object({
    state: z
      .enum(["awaiting", "authorized", "captured", "released", "lapsed"])
      .describe(
        "Of the last checkout: no hold yet, a hold, money taken, hold given back, or hold run out at the bank.",
      ),
    session: z.string().max(255).describe("The checkout that it speaks of."),
    intent: z.string().max(255).optional().describe("Stripe's payment intent."),
    captureBefore: timestamp.optional().describe("When the hold lapses."),
    captured: smallest("What was captured, over all checkouts, without refunds of earlier checkouts").optional(),
    refunded: smallest("What was refunded by hand at Stripe, of the last checkout").optional(),
    capturedAt: timestamp.optional().describe("When money was taken last; for seven days it covers a reset."),
    message: z.string().max(1024).optional().describe("What a person should know of it."),
    reason: z
      .string()
      .max(128)
      .optional()
      .describe("Why Stripe does nothing for it, such as PaymentKeyDenied; `message` names the missing permission."),
    lookedAt: timestamp.describe("When Stripe was asked last."),
    hint: z.string().max(255).optional().describe("The last of Stripe's events that was followed up."),
  })
  .describe("The payment as Stripe said last.");
export type PaymentStatus = z.output<typeof paymentStatusSchema>;
