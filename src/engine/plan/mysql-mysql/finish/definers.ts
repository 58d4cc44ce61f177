import type { KnownEntry } from "../../../contract/known.ts";
import { kindsOf } from "../../../report/not-copied.ts";

/** What a report says of an object that runs with the rights of another account than in the source. Pure. */

interface Self {
  self: string;
}

const became = (self: string, definer: string, why: string) => `its definer is ${self} instead of ${definer}, ${why}`;
export const definerNotAllowed = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target's user may not set another definer");
export const definerMissing = ({ self }: Self, definer: string): string =>
  became(self, definer, "because the target has no such account");

/** One sentence for each definer that was lost, with the number of objects. */
export function definerWarnings(inventory: readonly Pick<KnownEntry, "kind" | "lostDefiner">[]): string[] {
  const lost = inventory.flatMap(({ kind, lostDefiner }) => (lostDefiner === undefined ? [] : [{ kind, lostDefiner }]));
  return [...Map.groupBy(lost, ({ lostDefiner }) => lostDefiner.slice("its ".length))].map(
    ([words, some]) => `${kindsOf(some)}: the ${words}`,
  );
}

export const definerRequested = ({ self }: Self, definer: string): string =>
  became(self, definer, "as options.definers requests");
