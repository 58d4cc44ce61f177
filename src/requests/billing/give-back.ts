import { isHeldBy, type NamedMigration } from "../../billing/claim.ts";
import { kinds } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { change } from "../update-with-retry.ts";
import type { World } from "../world.ts";

type Changing = Pick<World, "client" | "pause" | "randomBytes">;

/**
 * Uses up the free first migration that this Migration has, if its copy is verified: before it is deleted, so that no failure in between
 * gives a second one. Throws Problem `busy`.
 */
export async function useUpFree(world: Changing, { metadata, spec, status }: Migration): Promise<void> {
  if (spec.payment?.by !== "free" || status?.result?.outcome !== "completed") return;
  await change(world, kinds.accounts, "", spec.payment.account, (account) => {
    const claim = account.spec.freeMigration;
    if (!isHeldBy(claim, metadata) || claim.used === true) return undefined;
    return { ...account, spec: { ...account.spec, freeMigration: { ...claim, used: true } } };
  });
}

/**
 * Gives back the free first migration of one that is deleted or was never made, unless it is used up. `madeAt`: when the deleted one was made,
 * ISO 8601: a later claim is of another one with its name. Never rejects: a claim without its Migration comes to be nobody's by itself.
 */
export async function giveBackFree(
  world: Changing,
  payment: PaymentSpec | undefined,
  { namespace, name, uid, madeAt }: NamedMigration & { uid?: string | undefined; madeAt?: string | undefined },
): Promise<void> {
  if (payment?.by !== "free") return;
  await change(world, kinds.accounts, "", payment.account, (account) => {
    const { freeMigration: claim, ...rest } = account.spec;
    if (!isHeldBy(claim, { namespace, name, uid }) || claim.used === true) return undefined;
    if (claim.uid === undefined && madeAt !== undefined && Date.parse(claim.at) > Date.parse(madeAt)) return undefined;
    return { ...account, spec: rest };
  }).catch(() => {});
}
