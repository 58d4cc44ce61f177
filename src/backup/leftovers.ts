import type { Manifest } from "./contract.ts";

/** What a cut-off restore leaves in a target that was empty when it began. Pure. */

/** Of the schema (PostgreSQL) or table that marks such a target. */
export const markName = "_rowferry_restore";
export const markText = (attempt: string): string => `Unfinished restore ${attempt}`;
/** Whether a comment is one of those. */
export const isMark = (comment: string | null | undefined): boolean => comment?.startsWith(markText("")) === true;

/** Whether all that is there has a name of the backup: nothing of others was put there since. Large objects have none, and are never dropped. */
export function isLeftover(
  { inventory }: Pick<Manifest, "inventory">,
  there: readonly { kind: string; name: string }[],
): boolean {
  const known = new Set(inventory.map(({ kind, name }) => `${kind} ${name}`));
  const hasLarge = inventory.some(({ kind }) => kind === "large objects");
  return !hasLarge && there.every(({ kind, name }) => known.has(`${kind} ${name}`));
}
