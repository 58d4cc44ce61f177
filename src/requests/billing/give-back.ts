import { isOf } from "../../billing/claim.ts";
import { kinds } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import { change } from "../change.ts";
import type { World } from "../world.ts";

/**
 * Settles the free first migration that a Migration has, which is being deleted: used up if its copy is verified, else another one can have
 * it. Nothing happens where it has none. Throws Problem `busy`.
 */
export async function settleFree(
  world: Pick<World, "client" | "pause" | "randomBytes">,
  { metadata, spec, status }: Migration,
): Promise<void> {
  if (spec.payment?.by !== "free") return;
  const isVerified = status?.result?.outcome === "completed";
  await change(world, kinds.accounts, "", spec.payment.account, (account) => {
    const { freeMigration: claim, ...rest } = account.spec;
    if (claim === undefined || claim.used === true || !isOf(claim, metadata)) return undefined;
    if (claim.uid !== undefined && claim.uid !== metadata.uid) return undefined;
    return { ...account, spec: isVerified ? { ...rest, freeMigration: { ...claim, used: true } } : rest };
  });
}
