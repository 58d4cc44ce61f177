import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import { type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import { partKinds, relationKinds, sharedKinds, takenName } from "../../../run/fence/claims.ts";
import { TargetNotEmptyError } from "../../../run/fence/drop-option.ts";
import { createPackedGroups } from "../../../run/memory/packed.ts";
import { sharedText } from "../../../run/memory/shared-text.ts";
import { sameText } from "./same-text.ts";

/** The inventories of source and target side by side. Pure. */

/** Names in the target that the source's objects would take; tables first, since what hangs on one goes with it. */
export function collisions(source: Iterable<Thing>, target: readonly Thing[]): string[] {
  const there = new Map(target.map((thing) => [takenName(thing), thing]));
  const [tables, others]: [string[], string[]] = [[], []];
  for (const thing of source) {
    if (sharedKinds.has(thing.kind) || partKinds.has(thing.kind)) continue;
    const found = there.get(takenName(thing));
    if (found !== undefined) (thing.kind === "table" ? tables : others).push(`${found.kind} ${printable(found.name)}`);
  }
  return [...tables, ...others];
}

/** Errors: EngineError `target_not_empty`, which names the first. */
export function refuseCollisions(source: Iterable<Thing>, target: readonly Thing[]): void {
  const taken = collisions(source, target);
  if (taken.length > 0) throw new TargetNotEmptyError(taken);
}

/** What may stand on a relation beside what it was made with. */
const standsOn = new Set(["column", "constraint", "trigger", "rule", "policy", "index", "sequence"]);
/** Of each text, at most. */
const mostText = 30_000;

interface Accounted {
  inventory: InventoryEntry[];
  /** In words, one for each thing that stands otherwise in the target, or only there. */
  warnings: string[];
}

/** Things that are compared together: so many of them are in memory at once. */
const together = 16_384;

/**
 * The report's inventory: every thing of the source as it ended, in its order, and what stands on the copied relations without
 * being the source's. `notes` are what the run said of single objects. `alike`: the servers are of one major version.
 * Errors: EngineError `inventory_incomplete` when a thing is missing and nobody said so.
 */
export function compareInventories(
  source: Iterable<Thing> & { readonly length: number },
  target: Iterable<Thing>,
  notes: Iterable<InventoryEntry>,
  alike: boolean,
): Accounted {
  const count = Math.ceil((source.length + 1) / together);
  const groupOf = (key: string) => hashOf(key) % count;
  const grouped = <T extends { kind: string; name: string }>(all: Iterable<T>) => {
    const groups = createPackedGroups<[number, T]>();
    let at = 0;
    for (const one of all) groups.add(groupOf(thingKey({ kind: one.kind, name: printable(one.name) })), [at++, one]);
    return groups;
  };
  const [wanted, there, noted] = [grouped(source), grouped(target), grouped(notes)];
  const entries = Array.from<InventoryEntry | undefined>({ length: source.length });
  const found: Sides = { entries, refused: new Set(), notes: [], missing: [], extra: [], warnings: [] };
  for (let group = 0; group < count; group++)
    compareSome({ wanted: wanted.of(group), there: there.of(group), notes: noted.of(group) }, found, alike);
  refuseMissing(inOrder(found.missing));
  const inventory = found.entries.filter((entry) => entry !== undefined);
  const warnings = inOrder(found.warnings);
  const extra = inOrder(found.extra).filter(({ kind, relation }) => standsOn.has(kind) && typeof relation === "string");
  const copied =
    extra.length === 0 ? new Set() : copiedAmong(source, found, new Set(extra.map(({ relation }) => relation)));
  const told = new Set<string>();
  for (const { kind, name, detail, relation } of extra) {
    if (!copied.has(relation)) continue;
    const entry = { kind, name: printable(name) };
    told.add(thingKey(entry));
    warnings.push(`${thingKey(entry)} is only in the target: the copy did not create it`);
    const note = `is only in the target, on ${printable(relation ?? "")}: the copy did not create it`;
    inventory.push({ ...entry, outcome: "reported", note, definition: detail.slice(0, mostText) });
  }
  return { inventory: [...inventory, ...inOrder(found.notes).filter((note) => !told.has(thingKey(note)))], warnings };
}

/** What comparing has found; each with its place in the list that it is of. */
interface Sides {
  /** By the place of the source's thing. */
  entries: (InventoryEntry | undefined)[];
  /** Of things that the target refused. */
  refused: Set<number>;
  /** Of nothing that the source's inventory has. */
  notes: [number, InventoryEntry][];
  missing: [number, string][];
  /** In the target alone. */
  extra: [number, Thing][];
  warnings: [number, string][];
}

const inOrder = <T>(all: [number, T][]): T[] => all.sort(([a], [b]) => a - b).map(([, one]) => one);

interface Group {
  wanted: readonly [number, Thing][];
  there: readonly [number, Thing][];
  notes: readonly [number, InventoryEntry][];
}

function compareSome(group: Group, found: Sides, alike: boolean): void {
  const there = new Map(group.there.map((one) => [thingKey(one[1]), one]));
  const noted = new Map(group.notes.map((one) => [thingKey(one[1]), one]));
  for (const [at, thing] of group.wanted) {
    const entry = { kind: sharedText(thing.kind), name: printable(thing.name) };
    const note = noted.get(thingKey(entry))?.[1];
    noted.delete(thingKey(entry));
    const other = there.get(thingKey(thing))?.[1];
    there.delete(thingKey(thing));
    if (note !== undefined && note.outcome !== "copied") {
      found.entries[at] = note;
      if (note.outcome === "reported") found.refused.add(at);
    } else if (other === undefined) found.missing.push([at, thingKey(entry)]);
    else if (!sameText(thing, other, alike)) {
      found.warnings.push([
        at,
        `${thingKey(entry)} differs in the target from the source: both texts are in the report`,
      ]);
      const text = (other.detail === "" ? "nothing" : printable(other.detail)).slice(0, mostText);
      const definition = thing.detail.slice(0, mostText);
      found.entries[at] = {
        ...entry,
        outcome: "reported",
        note: `the target has another definition: ${text}`,
        definition,
      };
    } else if (other.detail !== thing.detail)
      found.entries[at] = { ...entry, outcome: "copied", note: "written differently by the target" };
    else if (note?.note !== undefined) found.entries[at] = { ...entry, outcome: "copied", note: note.note };
    else found.entries[at] = { kind: entry.kind, name: entry.name, outcome: "copied" };
  }
  found.extra.push(...there.values());
  found.notes.push(...noted.values());
}

/** Of these relations, those of the source that were copied. */
function copiedAmong(source: Iterable<Thing>, found: Sides, names: ReadonlySet<unknown>): ReadonlySet<unknown> {
  const copied = new Set<unknown>();
  let at = -1;
  for (const { kind, name } of source) {
    at++;
    if (found.refused.has(at) || found.entries[at]?.outcome === "not_applicable") continue;
    if (relationKinds.has(kind) && names.has(name)) copied.add(name);
  }
  return copied;
}

/** Of a text, the same in every process. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash;
}

/** `missing`: kinds and names. Errors: `inventory_incomplete`, which names the first. */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new EngineError("inventory_incomplete", `missing in the target after the copy: ${shortList(missing, 10)}`);
}
