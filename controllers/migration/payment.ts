import { isForCapture } from "../../src/resources/run.ts";
import type { Observed, Trouble } from "./observed.ts";

/** How payment holds a run back. */

/** A completed run is captured before a reset begins another one. */
export function awaitsCapture({ migration, isBillingOff }: Observed): boolean {
  const { checkout, by } = migration.spec.payment ?? {};
  const paid = migration.status?.payment;
  const isHeld = by === "hold" && paid?.state === "authorized" && paid.session === checkout?.session;
  return isHeld && isBillingOff !== true && isForCapture(migration);
}

const awaiting: Trouble = {
  reason: "AwaitingPayment",
  message: "A person authorizes the payment at the checkout link; the run starts by itself then.",
};
const billingOff: Trouble = {
  reason: "BillingOff",
  message:
    "This installation has no Stripe key any more, so nobody can pay, and this Migration does not start. Create it again, which is not charged.",
};

/** Why the payment is not there yet: usually a person, else a fault of the installation's key. */
export function unpaid({ migration, isBillingOff }: Observed): Trouble {
  if (isBillingOff === true) return billingOff;
  const { reason, message = awaiting.message } = migration.status?.payment ?? {};
  return reason === undefined ? awaiting : { reason, message };
}

export const freeTaken: Trouble = {
  reason: "FreeMigrationTaken",
  message: "The account's free migration is another one's: delete this one, and create it again to see its price.",
};
