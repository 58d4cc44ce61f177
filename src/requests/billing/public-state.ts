import type { Migration, MigrationState } from "../../resources/migration.ts";
import { shownState } from "../migrations/view/shown.ts";
import type { World } from "../world.ts";

/** What a payer may know of a Migration by its id alone. */
export interface PublicState {
  state: MigrationState;
  /**
   * `open`: nothing is charged, or not yet; `ended`: the last checkout has no hold any more, and a new one is needed; `charged`: an
   * amount was captured and not refunded; `impossible`: the installation takes no payments any more.
   */
  payment: "open" | "ended" | "charged" | "impossible";
}

/**
 * Of a Migration with a checkout, for the person who returns from Stripe without a session. The id is a random UUID that only the team
 * and the payer know; nothing else is shown for it. Undefined for any other Migration, and for one that does not exist.
 */
export function publicState(
  { caches, billing }: Pick<World, "caches" | "billing">,
  id: string,
): PublicState | undefined {
  const found = caches.order.withId(id).find(({ spec }) => spec.payment?.checkout !== undefined);
  const state = found === undefined ? undefined : shownState(found);
  return found === undefined || state === undefined
    ? undefined
    : { state, payment: paymentOf(found, state, billing !== undefined) };
}

/** Pure. */
function paymentOf(
  { spec, status }: Pick<Migration, "spec" | "status">,
  state: MigrationState,
  takesPayments: boolean,
): PublicState["payment"] {
  const paid = status?.payment;
  if (state === "awaiting_payment") {
    if (!takesPayments) return "impossible";
    const isPresent = paid?.session === spec.payment?.checkout?.session;
    return isPresent && (paid?.state === "released" || paid?.state === "lapsed") ? "ended" : "open";
  }
  return (paid?.captured ?? 0) > (paid?.refunded ?? 0) ? "charged" : "open";
}
