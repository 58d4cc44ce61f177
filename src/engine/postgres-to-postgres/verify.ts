import { EngineError, type InventoryEntry } from "../contract.ts";
import { printable } from "../postgres/names.ts";
import { type Thing, thingKey } from "./inventory.ts";

/** The inventories of source and target side by side. Pure. */

/** Kinds of which a target may have its own of the same name. */
const shared = new Set(["schema", "extension", "language", "cast", "foreign data wrapper"]);
/** They come and go with another object. */
const parts = new Set(["column", "constraint", "trigger", "rule", "policy"]);
const relations = new Set([
  "table",
  "view",
  "materialized view",
  "sequence",
  "foreign table",
  "index",
  "type",
  "domain",
]);

/** Names in the target that the source's objects would take. */
export function collisions(source: readonly Thing[], target: readonly Thing[]): string[] {
  const taken = (thing: Thing) => `${relations.has(thing.kind) ? "relation" : thing.kind} ${thing.name}`;
  const there = new Map(target.map((thing) => [taken(thing), thing]));
  return source
    .filter(({ kind }) => !shared.has(kind) && !parts.has(kind))
    .flatMap((thing) => {
      const found = there.get(taken(thing));
      return found === undefined ? [] : [`${found.kind} ${printable(found.name)}`];
    });
}

/** Errors: EngineError `target_not_empty`, which names the first. */
export function refuseCollisions(source: readonly Thing[], target: readonly Thing[]): void {
  const taken = collisions(source, target);
  if (taken.length === 0) return;
  const more = taken.length > 5 ? ` and ${taken.length - 5} more` : "";
  throw new EngineError(
    "target_not_empty",
    `the target database already has ${taken.slice(0, 5).join(", ")}${more}: empty it, or name an empty database; nothing was written`,
  );
}

/**
 * The report's inventory: every thing of the source as it ended. `notes` are what the run said of single objects.
 * A difference in detail is only looked at when `comparable` (servers of one major version write things alike).
 * Errors: EngineError `inventory_incomplete` when a thing is missing and nobody said so.
 */
export function compareInventories(
  source: readonly Thing[],
  target: readonly Thing[],
  notes: readonly InventoryEntry[],
  comparable: boolean,
): { inventory: InventoryEntry[]; differing: string[] } {
  const there = new Map(target.map((thing) => [thingKey(thing), thing]));
  const noted = new Map(notes.map((note) => [thingKey(note), note]));
  const inventory: InventoryEntry[] = [];
  const missing: string[] = [];
  const differing: string[] = [];
  for (const thing of source) {
    const entry = { kind: thing.kind, name: printable(thing.name) };
    const note = noted.get(thingKey(entry));
    noted.delete(thingKey(entry));
    const found = there.get(thingKey(thing));
    if (note !== undefined && note.outcome !== "copied") inventory.push(note);
    else if (found === undefined) missing.push(thingKey(entry));
    else if (comparable && found.detail !== thing.detail) {
      differing.push(thingKey(entry));
      inventory.push({ ...entry, outcome: "copied", note: "written differently by the target" });
    } else inventory.push({ ...entry, outcome: "copied", ...(note?.note === undefined ? {} : { note: note.note }) });
  }
  if (missing.length > 0) {
    throw new EngineError(
      "inventory_incomplete",
      `missing in the target after the copy: ${missing.slice(0, 10).join(", ")}${missing.length > 10 ? ` and ${missing.length - 10} more` : ""}`,
    );
  }
  return { inventory: [...inventory, ...noted.values()], differing };
}
