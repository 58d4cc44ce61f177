import type { KnownEntry } from "../contract/known.ts";
import type { PlanWarning } from "./types.ts";

/**
 * Keys that the target does not get, primary, unique or foreign: what they forbid is allowed there. One wording for the
 * copy and for its assessment, in every direction. Pure.
 */

type Entries = Iterable<Omit<KnownEntry, "definition">>;

/** For the report's warnings. */
export const lostKeyMessages = (entries: Entries): string[] => lostKeyWarnings(entries).map(({ reason }) => reason);

/** For an assessment. */
export function lostKeyWarnings(entries: Entries): PlanWarning[] {
  const lost: PlanWarning[] = [];
  for (const { kind, name, note = "", lostKey } of entries) {
    if (!lostKey) continue;
    const object = `${kind} ${name}`;
    lost.push({
      ...{ severity: "warning", code: "key_lost", object, reason: `${object} is not copied: ${note}` },
      fix: "change the key in the source to one that the target supports, or keep its rule in the application",
    });
  }
  return lost;
}
