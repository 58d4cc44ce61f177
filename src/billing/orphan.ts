import { hourOf } from "./hour.ts";
import type { SeenCheckout } from "./seen.ts";

/**
 * A checkout at Stripe that no Migration names: its Migration was deleted, or has another checkout since, or was never written. Pure.
 */

/** Milliseconds for which an open checkout may be without its Migration: a create opens the checkout first and writes the Migration then. */
export const inFlight = 10 * 60_000;

/** Of the idempotency of its release, by an event and by the sweep. */
export const orphanKey = (intent: string, now: Date): string => `${intent}-orphan-${hourOf(now)}`;

type Release = { kind: "expire"; session: string } | { kind: "cancel"; intent: string };

/** The checkout that the Migration names now. */
export interface CurrentCheckout {
  session: string;
  number: number;
}

/**
 * What to do about a checkout of this installation. `present`: undefined if the Migration does not exist or names no checkout. A person gets the link
 * only after the Migration was written, so a hold without one is never of a create in flight.
 */
export function releaseOf(
  { seen, createdAt }: { seen: SeenCheckout; createdAt?: string },
  present: CurrentCheckout | undefined,
  now: Date,
): Release | undefined {
  const { about, intent, id, session } = seen;
  if (about === undefined || present?.session === id) return undefined;
  const isOld = createdAt !== undefined && now.getTime() - Date.parse(createdAt) > inFlight;
  const mayBeWritten = present !== undefined && about.checkout > present.number;
  if (intent?.status === "requires_capture")
    return isOld || !mayBeWritten ? { kind: "cancel", intent: intent.id } : undefined;
  return session === "open" && isOld ? { kind: "expire", session: id } : undefined;
}
