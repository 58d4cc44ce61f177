import type { InventoryEntry } from "./index.ts";

/** What the engine knows of an object beside the words of its note, which are for people: no code reads a fact out of them. */
export interface Known {
  /** Its name in the target, where that is not the source's. */
  targetName?: string;
  /** A key that the target does not have: what it forbids is allowed there. */
  lostKey?: true;
  /** The exclusion constraint of the target that keeps a key's periods apart. */
  exclusion?: string;
  /** The data decide whether the target takes it. */
  inDoubt?: true;
  /** The source's user may not see its text. */
  unseen?: true;
  /** Its definer is not the one of the source, which nobody asked for: the sentence on it. */
  lostDefiner?: string;
}

export type KnownEntry = InventoryEntry & Known;

/** What a report has of an object. */
export const reportedOf = <Entry extends Omit<KnownEntry, "definition">>({
  targetName: _name,
  lostKey: _key,
  exclusion: _exclusion,
  inDoubt: _doubt,
  unseen: _unseen,
  lostDefiner: _definer,
  ...entry
}: Entry): Omit<Entry, keyof Known> => entry;

/** Of an object whose name is not the source's. */
export const renamed = (name: string): string => `as ${name}`;

/** Why the target does not get an index; of a unique one also what the target takes then. */
export const lostIndex = (
  reason: string,
  unique: boolean,
  accepted = "doubled values",
): Pick<KnownEntry, "outcome" | "note" | "lostKey"> =>
  unique
    ? { outcome: "reported", note: `${reason}, so the target does not refuse ${accepted}`, lostKey: true }
    : { outcome: "reported", note: reason };
