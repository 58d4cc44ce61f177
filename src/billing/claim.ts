import type { Account } from "../resources/account.ts";

/**
 * The account's free first migration, as a claim on the Account that names a Migration. Pure: who reads and writes the Account
 * does it by compare-and-swap, so that of many at once one has it.
 */
export type FreeClaim = NonNullable<Account["spec"]["freeMigration"]>;

export interface NamedMigration {
  namespace: string;
  name: string;
}

/** Of a Migration's metadata. */
export interface CreatedMigration extends NamedMigration {
  uid: string;
  creationTimestamp: string;
}

/** Milliseconds after which a reservation whose Migration was never made is nobody's: longer than any create takes. */
export const abandonedAfter = 10 * 60_000;

/**
 * Whether another Migration may take the claim now. `found`: uid of the Migration that the claim names, as the API server has it at this
 * moment; undefined: there is none.
 */
export function isOpen(claim: FreeClaim | undefined, found: string | undefined, now: Date): boolean {
  if (claim === undefined) return true;
  if (claim.used === true) return false;
  // Begun, and deleted before it was completed; or its name was given to another one since.
  if (claim.uid !== undefined) return found !== claim.uid;
  return found === undefined && now.getTime() - Date.parse(claim.at) > abandonedAfter;
}

export const isOf = (claim: FreeClaim | undefined, { namespace, name }: NamedMigration): boolean =>
  claim?.namespace === namespace && claim.name === name;

/** Whether the claim is this Migration's: it names it, and no other one that had its name before. `uid`: absent before it is made. */
export const isHeldBy = (
  claim: FreeClaim | undefined,
  { uid, ...named }: NamedMigration & { uid?: string | undefined },
): claim is FreeClaim => isOf(claim, named) && (claim?.uid === undefined || claim.uid === uid);

/** The claim as it is after the operator has let this Migration start; undefined where it is another one's. */
export function startedClaim(claim: FreeClaim | undefined, migration: CreatedMigration): FreeClaim | undefined {
  const { namespace, name, uid, creationTimestamp: at } = migration;
  // Given back by a create beside the one that made it, with the same Idempotency-Key.
  if (claim === undefined) return { namespace, name, at, uid };
  return isHeldBy(claim, migration) ? { ...claim, uid } : undefined;
}

/** The claim as it is after this Migration was completed; undefined where it is not this Migration's. */
export const usedUp = (claim: FreeClaim | undefined, migration: CreatedMigration): FreeClaim | undefined =>
  isHeldBy(claim, migration) ? { ...claim, uid: migration.uid, used: true } : undefined;
