import type { InventoryEntry } from "../../../contract/index.ts";
import { kindsOf } from "../../../report/not-copied.ts";

/** What a report says of an object that runs with the rights of another account than in the source. Pure. */

interface Self {
  self: string;
}

const its = "its definer is ";
const became = (self: string, definer: string, why: string) => `${its}${self} instead of ${definer}, ${why}`;
export const definerNotAllowed = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target's user may not set another definer");
export const definerMissing = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target has no such account");

/** One sentence for each definer that was lost, with the number of objects. */
export function definerWarnings(inventory: readonly Pick<InventoryEntry, "kind" | "note">[]): string[] {
  const lost = inventory.flatMap(({ kind, note }) => {
    const words = note?.split("; ").find((one) => one.startsWith(its) && one.includes(", because "));
    return words === undefined ? [] : [{ kind, words: words.slice("its ".length) }];
  });
  return [...Map.groupBy(lost, ({ words }) => words)].map(([words, some]) => `${kindsOf(some)}: the ${words}`);
}

export const definerRequested = ({ self }: Self, definer: string): string =>
  became(self, definer, "as options.definers requests");
