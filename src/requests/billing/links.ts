import { z } from "zod";
import { Problem } from "../errors.ts";

/** Links at which a human pays for an account, at Stripe. None is charged while the installation has no Stripe key. */

export const linkSchema = z.object({
  message: z.string(),
  url: z.url().max(2048).describe("For a human's browser; it leads to Stripe."),
});

const nothing = (what: string) =>
  new Problem("nothing_to_pay", `This installation charges nothing: ${what}; every migration is covered.`);

/** Where the account's owner subscribes to Pro. Throws Problem `nothing_to_pay`. */
export async function subscribe(): Promise<z.output<typeof linkSchema>> {
  throw nothing("there is no plan to subscribe to");
}

/** Where the account's owner sees invoices, changes the card and ends the subscription. Throws Problem `nothing_to_pay`. */
export async function openPortal(): Promise<z.output<typeof linkSchema>> {
  throw nothing("there are no invoices");
}
