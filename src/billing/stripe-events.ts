import Stripe from "stripe";
import { z } from "zod";

/** Of an event of Stripe's: which, and about which Migration's checkout. Without the latter it is none of this installation's. */
export interface PaymentEvent {
  id: string;
  about?: { installation: string; namespace: string; name: string };
}

/** Undefined where the signature does not hold for these bytes now. */
export type EventReader = (body: Uint8Array, signature: string) => PaymentEvent | undefined;

const aboutSchema = z.object({
  metadata: z.object({
    installation: z.string().max(255),
    namespace: z.string().max(63),
    migration: z.string().max(253),
  }),
});

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
    const about = aboutSchema.safeParse(event.data.object);
    if (!about.success) return { id: event.id };
    const { installation, namespace, migration } = about.data.metadata;
    return { id: event.id, about: { installation, namespace, name: migration } };
  };
}
