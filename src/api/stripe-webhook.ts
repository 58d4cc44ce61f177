import type { Request, Response } from "express";
import type { EventReader } from "../billing/stripe-events.ts";
import { followEvent } from "../requests/billing/events.ts";
import { Problem } from "../requests/errors.ts";
import type { World } from "../requests/world.ts";
import type { Mounted } from "./app.ts";
import { readBytes } from "./body.ts";

/** Stripe's events are small; with a list of a hundred lines they have some 100 KB. */
const largest = 1 << 20;

/**
 * Where Stripe sends its events. Its signature is checked on the raw body. An event is a hint alone: the operator looks at once what is so now;
 * whatever it says, nothing is done by what is written in it.
 */
export const stripeWebhook = (world: World, read: EventReader): Mounted => ({
  path: "/webhooks/stripe",
  async handle(request: Request, response: Response) {
    response.locals["operation"] = "stripeWebhook";
    const bytes = await readBytes(request, largest);
    const event = read(bytes, request.get("stripe-signature") ?? "");
    if (event === undefined)
      throw new Problem("invalid", "The signature is not Stripe's, or too old.", {
        errors: [{ field: "stripe-signature", message: "does not hold for this body now" }],
      });
    await followEvent(world, event);
    response.status(204).end();
  },
});
