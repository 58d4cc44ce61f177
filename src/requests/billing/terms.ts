import { type Terms, termsOf } from "../../billing/case.ts";
import { isOpen } from "../../billing/claim.ts";
import type { RunType } from "../../billing/prices.ts";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Caller, World } from "../world.ts";

type Priced = Pick<World, "billing" | "client" | "now" | "settings">;

/** What a create of this account's would cost now, for a source of so many bytes. `freeIsTaken`: another create was faster. */
export async function termsFor(
  world: Priced,
  { account }: Pick<Caller, "account">,
  { freeIsTaken = false, ...of }: { type: RunType; size: number; freeIsTaken?: boolean },
): Promise<Terms> {
  const { billing, settings } = world;
  const plan = account.spec.plan;
  return termsOf({
    ...of,
    currency: settings.currency,
    plan,
    freeIsOpen: billing !== undefined && plan === "free" && !freeIsTaken && (await freeIsOpen(world, account)),
    ...(billing === undefined ? {} : { prices: billing.prices }),
  });
}

/**
 * Whether the account's free first migration is nobody's, by what the API server has of the one that it names. Where the account that a caller
 * was known by says no, the live one is asked: what was given back a moment ago must not be charged.
 */
export async function freeIsOpen(world: Pick<World, "client" | "now">, account: Account): Promise<boolean> {
  if (await claimIsOpen(world, account)) return true;
  if (account.spec.freeMigration?.used === true) return false;
  const live = await world.client.get(kinds.accounts, "", account.metadata.name);
  return live !== undefined && (await claimIsOpen(world, live));
}

async function claimIsOpen(world: Pick<World, "client" | "now">, { spec }: Account): Promise<boolean> {
  const claim = spec.freeMigration;
  if (claim === undefined || claim.used === true) return claim === undefined;
  const named = await world.client.get(kinds.migrations, claim.namespace, claim.name);
  return isOpen(claim, named?.metadata.uid, world.now());
}

/** Without a size: whether nothing is charged whatever it is. */
export const isCoveredAnyway = ({ billing }: Pick<World, "billing">, { account }: Pick<Caller, "account">): boolean =>
  billing === undefined || account.spec.plan === "pro";
