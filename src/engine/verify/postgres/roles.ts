/** Whose an object is and what roles may do with it, as both sides of a comparison are told. Pure. */

export interface OwnedObject {
  kind: string;
  /** As the inventory names the object. */
  name: string;
  owner: string;
  rights: Right[];
}

/** Grantee (null: everybody), right, and whether it may be handed on. */
export type Right = readonly [grantee: string | null, right: string, grantable: boolean];

export interface Roles {
  /** The target's. */
  user: string;
  all: ReadonlySet<string>;
  /** Those that the target's user may act as. */
  own: ReadonlySet<string>;
}

export function isThere(grantee: string | null, { all }: Roles, notes: Set<string>): boolean {
  if (grantee === null || all.has(grantee)) return true;
  notes.add(`rights of role ${grantee} are not in the target, which has no such role`);
  return false;
}

export const words = ([grantee, right, grantable]: Right) =>
  `${right} to ${grantee ?? "PUBLIC"}${grantable ? " WITH GRANT OPTION" : ""}`;
