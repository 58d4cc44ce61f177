import type { CopyReport, InventoryEntry } from "../../../src/engine/contract/index.ts";
import type { PlannedObject } from "../../../src/engine/plan/types.ts";

/** What the copy reports of an object otherwise than the assessment before it said; none: what was said is what was done. */
export function unplanned(objects: readonly PlannedObject[], { inventory }: CopyReport): InventoryEntry[] {
  const planned = new Map(objects.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));
  return inventory.filter(({ kind, name, outcome }) => {
    const said = planned.get(`${kind} ${name}`);
    return said === undefined ? !goesWithAnother(kind, outcome) : said !== outcome;
  });
}

/** What was said to be lost, and is there. */
export function untrue(objects: readonly PlannedObject[], { inventory }: CopyReport): PlannedObject[] {
  const became = new Map(inventory.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));
  return objects.filter(
    ({ kind, name, outcome }) => outcome === "reported" && became.get(`${kind} ${name}`) !== outcome,
  );
}

/** Between PostgreSQL's, comments and the places of partitions go with what they are of. */
const goesWithAnother = (kind: string, outcome: string): boolean =>
  kind === "comment" || (kind.endsWith(" attach") && outcome === "copied");
