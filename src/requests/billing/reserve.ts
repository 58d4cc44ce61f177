import { isOf } from "../../billing/claim.ts";
import { kinds } from "../../cluster/index.ts";
import { change } from "../change.ts";
import type { World } from "../world.ts";
import { freeIsOpen } from "./terms.ts";

type Reserving = Pick<World, "client" | "now" | "pause" | "randomBytes">;

/**
 * Takes the account's free first migration for the Migration of this name, which is made next: of many at once one gets it. Answers whether
 * it did, or had it. What is never made gives it back by itself. Throws Problem `busy`.
 */
export async function reserveFree(
  world: Reserving,
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
