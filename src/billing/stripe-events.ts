import Stripe from "stripe";
import * as z from "zod";
import { type About, aboutOf } from "./about.ts";

/** One of Stripe's events. Without `about` and `customer` it does not concern this installation. */
export interface PaymentEvent {
  id: string;
  /** The Migration whose checkout or hold it is about. */
  about?: About;
  /** The checkout session, where the event is about one. */
  session?: string;
  /** Id of the customer whose subscription it is about. */
  customer?: string;
  /** The payment intent of a dispute, which has no metadata of the Migration. */
  disputed?: string;
}

/** Undefined where the signature does not hold for these bytes now. */
export type EventReader = (body: Uint8Array, signature: string) => PaymentEvent | undefined;

/** Checkouts, subscriptions and invoices name their customer. */
const ownedSchema = z.object({ customer: z.string().min(1).max(255) });

/** Seconds by which a signature may be old, as Stripe recommends. */
const tolerance = 300;

/** `secret`: the endpoint's, `whsec_…`. */
export function createEventReader(secret: string): EventReader {
  // The key is of no use for this.
  const stripe = new Stripe("sk_test_none");
  return (body, signature) => {
    let event: Stripe.Event;
    try {
      event = stripe.webhooks.constructEvent(Buffer.from(body), signature, secret, tolerance);
    } catch {
      return undefined;
    }
    const object = event.data.object as { id?: string; object: string; metadata?: unknown };
    const about = aboutOf(object.metadata);
    if (about === undefined) {
      const owned = ownedSchema.safeParse(object);
      return { id: event.id, ...disputedBy(event), ...(owned.success ? { customer: owned.data.customer } : {}) };
    }
    const isSession = object.object === "checkout.session" && object.id !== undefined;
    return { id: event.id, about, ...(isSession ? { session: object.id as string } : {}) };
  };
}

function disputedBy({ data: { object } }: Stripe.Event): Pick<PaymentEvent, "disputed"> {
  if (object.object !== "dispute") return {};
  const { payment_intent: intent } = object;
  const id = typeof intent === "string" ? intent : intent?.id;
  return id === undefined ? {} : { disputed: id };
}
