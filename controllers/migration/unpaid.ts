import type { Observed, Trouble } from "./observed.ts";

/** Why a run does not start: its payment is missing. */

const unpaid = {
  reason: "AwaitingPayment",
  message: "A person authorizes the payment at the checkout link; the run starts by itself then.",
};
/** Why the payment is not there yet: usually a person, else a fault of the installation's key. */
export function unpaidReason({ status }: Observed["migration"]): Trouble {
  const { reason, message = unpaid.message } = status?.payment ?? {};
  return reason === undefined ? unpaid : { reason, message };
}
export const freeTaken = {
  reason: "FreeMigrationTaken",
  message: "The account's free migration is another one's: delete this one, and create it again to see its price.",
};
