import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { packInventory, type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { transacted } from "../../../run/fence/fence.ts";
import { filter, map } from "../../../run/memory/lazy.ts";
import { createPacked, type Packed } from "../../../run/memory/packed.ts";
import { createWarnings, type Warnings } from "../../../run/warnings.ts";
import { compareInventories, refuseMissing } from "../schema/compare-inventories.ts";
import {
  largeObjectLeft,
  largeObjectNames,
  largeObjectsLeft,
  largeObjectsThere,
} from "../schema/large-object-names.ts";
import { readSkippedObjects } from "../schema/not-copied.ts";

/** What became of each object of the source: what was said of it while it was made, and what the target holds in the end. */

export interface Notes extends Warnings {
  notes: Packed<InventoryEntry>;
  note(entry: InventoryEntry): void;
}

export function createNotes(hooks: Parameters<typeof createWarnings>[0]): Notes {
  const notes = createPacked<InventoryEntry>();
  return { ...createWarnings(hooks), notes, note: (entry) => notes.push(entry) };
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
    things: Packed<Thing>;
    ownTable: ReadonlySet<string>;
    said: Notes;
    content: NonNullable<CopyOptions["content"]>;
  },
): Promise<InventoryEntry[]> {
  const { things, ownTable, said, content } = about;
  const { notes, note, warn } = said;
  const large = await largeObjectNames(source);
  if (content === "data") {
    const left = new Set(map(notes, thingKey));
    const rest = filter(things, ({ kind, name }) => !left.has(thingKey({ kind, name: printable(name) })));
    if (large.length > 0) warn(largeObjectsLeft(large));
    return [
      ...notes,
      ...large.map(({ kind, name }) => ({ kind, name, outcome: "reported" as const, note: largeObjectLeft })),
      ...[...rest].map(({ kind, name }) => ({
        kind,
        name: printable(name),
        outcome: kind === "table" ? ("copied" as const) : ("not_applicable" as const),
        note: kind === "table" ? "its rows, into the table that was there" : "only rows were requested (content: data)",
      })),
    ];
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
  if (content === "schema") {
    for (const { kind, name } of large)
      note({ kind, name, outcome: "not_applicable", note: "only the schema was requested (content: schema)" });
  }
  for (const { kind, name } of things) {
    if (kind !== "foreign table" || out.has(thingKey({ kind, name: printable(name) }))) continue;
    note({
      kind,
      name: printable(name),
      outcome: "copied",
      note: "its rows live on another server and are not copied",
    });
  }
  if (content === "all" && large.length > 0) {
    refuseMissing((await largeObjectsThere(source, target, false)).map(thingKey));
    for (const { kind, name } of large) note({ kind, name, outcome: "copied" });
  }
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
