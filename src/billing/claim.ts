import type { Account } from "../resources/account.ts";

/**
 * The account's free first migration, as a claim on the Account that names a Migration. Pure: who reads and writes the Account
 * does it by compare-and-swap, so that of many at once one has it.
 */
export type Claim = NonNullable<Account["spec"]["freeMigration"]>;

export interface Named {
  namespace: string;
  name: string;
}

/** Milliseconds after which a reservation whose Migration was never made is nobody's: longer than any create takes. */
export const abandonedAfter = 10 * 60_000;

/**
 * Whether another Migration may take the claim now. `found`: uid of the Migration that the claim names, as the API server has it at this
 * moment; undefined: there is none.
 */
export function isOpen(claim: Claim | undefined, found: string | undefined, now: Date): boolean {
  if (claim === undefined) return true;
  if (claim.used === true) return false;
  // Begun, and deleted before it was completed; or its name was given to another one since.
  if (claim.uid !== undefined) return found !== claim.uid;
  return found === undefined && now.getTime() - Date.parse(claim.at) > abandonedAfter;
}

export const isOf = (claim: Claim | undefined, { namespace, name }: Named): boolean =>
  claim?.namespace === namespace && claim.name === name;

/** Whether the claim is this Migration's: it names it, and no other one that had its name before. `uid`: absent before it is made. */
export const isHeldBy = (
  claim: Claim | undefined,
  { uid, ...named }: Named & { uid?: string | undefined },
): claim is Claim => isOf(claim, named) && (claim?.uid === undefined || claim.uid === uid);

/** The claim as it is after the operator has let this Migration start; undefined where it is not this Migration's. */
export function begun(claim: Claim | undefined, migration: Named & { uid: string }): Claim | undefined {
  return isHeldBy(claim, migration) ? { ...claim, uid: migration.uid } : undefined;
}
