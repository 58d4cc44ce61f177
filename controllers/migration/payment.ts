import { isForCapture } from "../../src/resources/run.ts";
import type { StateReason } from "../jobs/observed.ts";
import { awaitedPayment } from "./hold.ts";
import type { Observed } from "./observed.ts";

/** How payment holds a run back. */

/** A completed run is captured before a reset begins another one. */
export function awaitsCapture({ migration, isBillingOff }: Observed): boolean {
  const { checkout, by } = migration.spec.payment ?? {};
  const paid = migration.status?.payment;
  const isHeld = by === "hold" && paid?.state === "authorized" && paid.session === checkout?.session;
  return isHeld && isBillingOff !== true && isForCapture(migration);
}

const billingOff: StateReason = {
  reason: "BillingOff",
  message:
    "This installation has no Stripe key any more, so nobody can pay, and this Migration does not start. Create it again, which is not charged.",
};

/** Why a Migration that is not paid does not start. */
export const unpaid = ({ migration, isBillingOff }: Observed): StateReason =>
  isBillingOff === true ? billingOff : awaitedPayment(migration);

export const freeTaken: StateReason = {
  reason: "FreeMigrationTaken",
  message: "The account's free migration is another one's: delete this one, and create it again to see its price.",
};
