import type { Request, Response } from "express";
import type { Mounted } from "./app.ts";
import { readBytes } from "./body.ts";

/** Bytes of a request's body at most: Stripe's events are small, and one with a list of 100 lines has about 100 KB. */
const largest = 1 << 20;

/**
 * The endpoint for Stripe's events. `follow` checks the signature of the raw body.
 */
export const stripeWebhook = (follow: (body: Uint8Array, signature: string) => Promise<void>): Mounted => ({
  path: "/webhooks/stripe",
  async handle(request: Request, response: Response) {
    response.locals["operation"] = "stripeWebhook";
    await follow(await readBytes(request, largest), request.get("stripe-signature") ?? "");
    response.status(204).end();
  },
});
