import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { packInventory, type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { transacted } from "../../../run/fence/fence.ts";
import { filter, map } from "../../../run/memory/iterators.ts";
import { createPacked, type Packed } from "../../../run/memory/packed.ts";
import type { Warnings } from "../../../run/warnings.ts";
import { compareInventories, refuseMissing } from "../schema/compare-inventories.ts";
import { largeObjectNames, largeObjectsLeft, largeObjectsThere } from "../schema/large-object-names.ts";
import { readSkippedObjects } from "../schema/not-copied.ts";
import { outcomeOf } from "../schema/outcome.ts";
import type { Things } from "../schema/selected-entries.ts";

/** What became of each object of the source: what was said of it while it was made, and what the target holds in the end. */

export interface Notes extends Pick<Warnings, "warn"> {
  notes: Packed<InventoryEntry>;
  note(entry: InventoryEntry): void;
}

export function createNotes(warn: Notes["warn"]): Notes {
  const notes = createPacked<InventoryEntry>();
  return { warn, notes, note: (entry) => notes.push(entry) };
}

/** What publications that were made have not. */
export function noteReduced(reduced: readonly InventoryEntry[], { notes, note, warn }: Notes): void {
  const refused = new Set(
    map(
      filter(notes, ({ outcome }) => outcome === "reported"),
      thingKey,
    ),
  );
  for (const entry of reduced.filter((one) => !refused.has(thingKey(one)))) {
    note(entry);
    warn(`${thingKey(entry)}: ${entry.note}`);
  }
}

/** What is said of them once is all that is said. */
const ownKinds = new Set(["constraint", "foreign table", "index"]);

/** The inventory of both sides. Errors: `inventory_incomplete`. */
export async function account(
  source: Session,
  target: Session,
  about: {
    things: Things;
    ownTable: ReadonlySet<string>;
    said: Notes;
    content: NonNullable<CopyOptions["content"]>;
  },
): Promise<InventoryEntry[]> {
  const { things, ownTable, said, content } = about;
  const { notes, note, warn } = said;
  const large = await largeObjectNames(source);
  const entryOf = ({ kind, name }: Pick<Thing, "kind" | "name">): InventoryEntry => ({
    ...{ kind, name: printable(name) },
    ...outcomeOf(kind, content),
  });
  if (content === "data") {
    const left = new Set(map(notes, thingKey));
    const rest = filter(things, ({ kind, name }) => !left.has(thingKey({ kind, name: printable(name) })));
    if (large.length > 0) warn(largeObjectsLeft(large));
    return [...notes, ...large.map(entryOf), ...map(rest, entryOf)];
  }
  const out = new Set(
    map(
      filter(notes, ({ kind, outcome }) => outcome !== "copied" && ownKinds.has(kind)),
      thingKey,
    ),
  );
  for (const left of await readSkippedObjects(source)) {
    const { definition, ...rest } = left;
    const kind = left.kind === "state of a foreign key" ? "constraint" : left.kind;
    if (out.has(thingKey({ kind, name: printable(left.name) }))) continue;
    note({ ...rest, name: printable(left.name), outcome: "reported", ...(definition === null ? {} : { definition }) });
    warn(`${left.kind} ${printable(left.name)}: ${left.note}`);
  }
  if (content === "all" && large.length > 0)
    refuseMissing((await largeObjectsThere(source, target, false)).map(thingKey));
  const elsewhere = map(
    filter(things, ({ kind }) => kind === "foreign table"),
    entryOf,
  );
  for (const entry of [...large.map(entryOf), ...elsewhere]) if (!out.has(thingKey(entry))) note(entry);
  // Its transaction held the locks all the while: had it been lost, this would fail.
  const alike = Math.floor(source.version / 10_000) === Math.floor(target.version / 10_000);
  let there = createPacked<Thing>();
  await transacted(target, "BEGIN", async () => {
    there = await packInventory(target, ownTable);
  });
  const { inventory, warnings } = compareInventories(things, there, notes, alike);
  warnings.forEach(warn);
  return inventory;
}
