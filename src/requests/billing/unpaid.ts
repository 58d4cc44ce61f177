import { kinds } from "../../cluster/index.ts";
import { labels } from "../../resources/group.ts";
import { Problem } from "../errors.ts";
import { shownState } from "../migrations/view/shown.ts";
import type { World } from "../world.ts";

/**
 * An account has a limited number of migrations that await payment. Called with 1 before a create, and with 0 after it: of many at once each counts the
 * others, so that the limit holds. Throws Problem `limit_reached`.
 */
export async function checkUnpaid(
  { billing, client }: Pick<World, "billing" | "client">,
  account: string,
  more: 0 | 1,
): Promise<void> {
  if (billing === undefined) return;
  const own = await client.list(kinds.migrations, { labelSelector: `${labels.account}=${account}` });
  const unpaid = own.filter((one) => shownState(one) === "awaiting_payment").length;
  if (unpaid + more > billing.mostUnpaid)
    throw new Problem(
      "limit_reached",
      `At most ${billing.mostUnpaid} migrations of an account can await payment: pay or delete one first.`,
    );
}
