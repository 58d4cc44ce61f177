import type { MigrationState } from "../../resources/migration.ts";
import { shownState } from "../migrations/shown.ts";
import type { World } from "../world.ts";

/**
 * The state of a Migration with a checkout, for the person who returns from Stripe without a session. The id is a random UUID that only the team
 * and the payer know; nothing but the state is shown for it. Undefined for any other Migration, and for one that does not exist.
 */
export function publicState({ caches }: Pick<World, "caches">, id: string): MigrationState | undefined {
  const found = caches.order.withId(id).find(({ spec }) => spec.payment?.checkout !== undefined);
  return found === undefined ? undefined : shownState(found);
}
