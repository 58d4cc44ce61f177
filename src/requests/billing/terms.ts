import { type Terms, termsOf } from "../../billing/case.ts";
import { isOf, isOpen } from "../../billing/claim.ts";
import type { RunType } from "../../billing/prices.ts";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { change } from "../update-with-retry.ts";
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

/**
 * Takes the account's free first migration for the Migration of this name, which is made next: of many at once one gets it. Answers whether
 * it did, or had it. What is never made gives it back by itself. Throws Problem `busy`.
 */
export async function reserveFree(
  world: Pick<World, "client" | "now" | "pause" | "randomBytes">,
  account: string,
  named: { namespace: string; name: string },
): Promise<boolean> {
  const before = await world.client.get(kinds.accounts, "", account);
  const claim = before?.spec.freeMigration;
  if (claim !== undefined && isOf(claim, named) && claim.uid === undefined && claim.used !== true) return true;
  if (before === undefined || !(await freeIsOpen(world, before))) return false;
  let taken = false;
  await change(world, kinds.accounts, "", account, (live) => {
    // Somebody else took it since it was looked at.
    taken = JSON.stringify(live.spec.freeMigration) === JSON.stringify(claim);
    if (!taken) return undefined;
    return { ...live, spec: { ...live.spec, freeMigration: { ...named, at: world.now().toISOString() } } };
  });
  return taken;
}

/** Without a size: whether nothing is charged whatever it is. */
export const isCoveredAnyway = ({ billing }: Pick<World, "billing">, { account }: Pick<Caller, "account">): boolean =>
  billing === undefined || account.spec.plan === "pro";
