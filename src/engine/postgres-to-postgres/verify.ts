import { partKinds, relationKinds, sharedKinds, takenName } from "../claims.ts";
import { EngineError, type InventoryEntry } from "../contract.ts";
import { targetNotEmpty } from "../drop.ts";
import { type Thing, thingKey } from "../postgres/inventory.ts";
import { printable } from "../text/printable.ts";
import { sameText } from "./same-text.ts";

/** The inventories of source and target side by side. Pure. */

/** Names in the target that the source's objects would take; tables first, since what hangs on one goes with it. */
export function collisions(source: readonly Thing[], target: readonly Thing[]): string[] {
  const there = new Map(target.map((thing) => [takenName(thing), thing]));
  const wanted = source.filter(({ kind }) => !sharedKinds.has(kind) && !partKinds.has(kind));
  const [tables, others] = [true, false].map((is) => wanted.filter(({ kind }) => (kind === "table") === is));
  return [...(tables ?? []), ...(others ?? [])].flatMap((thing) => {
    const found = there.get(takenName(thing));
    return found === undefined ? [] : [`${found.kind} ${printable(found.name)}`];
  });
}

/** Errors: EngineError `target_not_empty`, which names the first. */
export function refuseCollisions(source: readonly Thing[], target: readonly Thing[]): void {
  const taken = collisions(source, target);
  if (taken.length > 0) throw targetNotEmpty(taken);
}

/** What may stand on a relation beside what it was made with. */
const standsOn = new Set(["column", "constraint", "trigger", "rule", "policy", "index", "sequence"]);
/** Of each text, at most. */
const mostText = 30_000;

export interface Accounted {
  inventory: InventoryEntry[];
  /** In words, one for each thing that stands otherwise in the target, or only there. */
  warnings: string[];
}

/**
 * The report's inventory: every thing of the source as it ended, and what stands on the copied relations without being
 * the source's. `notes` are what the run said of single objects. `alike`: the servers are of one major version.
 * Errors: EngineError `inventory_incomplete` when a thing is missing and nobody said so.
 */
export function compareInventories(
  source: readonly Thing[],
  target: readonly Thing[],
  notes: readonly InventoryEntry[],
  alike: boolean,
): Accounted {
  const there = new Map(target.map((thing) => [thingKey(thing), thing]));
  const noted = new Map(notes.map((note) => [thingKey(note), note]));
  const inventory: InventoryEntry[] = [];
  const missing: string[] = [];
  const warnings: string[] = [];
  const copied = new Set<string>();
  for (const thing of source) {
    const entry = { kind: thing.kind, name: printable(thing.name) };
    const note = noted.get(thingKey(entry));
    noted.delete(thingKey(entry));
    const found = there.get(thingKey(thing));
    there.delete(thingKey(thing));
    if (note !== undefined && note.outcome !== "copied") {
      inventory.push(note);
      continue;
    }
    if (found === undefined) {
      missing.push(thingKey(entry));
      continue;
    }
    if (relationKinds.has(thing.kind)) copied.add(thing.name);
    if (!sameText(thing, found, alike)) {
      warnings.push(
        `${thingKey(entry)} stands otherwise in the target than in the source: both texts are in the report`,
      );
      const text = (found.detail === "" ? "nothing" : printable(found.detail)).slice(0, mostText);
      const definition = thing.detail.slice(0, mostText);
      inventory.push({ ...entry, outcome: "reported", note: `the target has otherwise: ${text}`, definition });
    } else if (found.detail !== thing.detail)
      inventory.push({ ...entry, outcome: "copied", note: "written differently by the target" });
    else inventory.push({ ...entry, outcome: "copied", ...(note?.note === undefined ? {} : { note: note.note }) });
  }
  refuseMissing(missing);
  for (const { kind, name, detail, relation } of there.values()) {
    if (!standsOn.has(kind) || typeof relation !== "string" || !copied.has(relation)) continue;
    const entry = { kind, name: printable(name) };
    noted.delete(thingKey(entry));
    warnings.push(`${thingKey(entry)} stands in the target alone: the copy did not make it`);
    const note = `stands in the target alone, on ${printable(relation)}: the copy did not make it`;
    inventory.push({ ...entry, outcome: "reported", note, definition: detail.slice(0, mostText) });
  }
  return { inventory: [...inventory, ...noted.values()], warnings };
}

/** `missing`: kinds and names. Errors: `inventory_incomplete`, which names the first. */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new EngineError(
    "inventory_incomplete",
    `missing in the target after the copy: ${missing.slice(0, 10).join(", ")}${missing.length > 10 ? ` and ${missing.length - 10} more` : ""}`,
  );
}
