import type { InventoryEntry } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type Thing, thingKey } from "../../../postgres/catalogue/inventory.ts";
import { createPacked } from "../../../run/memory/packed.ts";
import { sharedText } from "../../../run/memory/shared-text.ts";
import type { Step } from "./entries.ts";
import { findLost, type Lost, type Node } from "./lost-tables.ts";

/**
 * What `include` and `exclude` leave out: the tables and views that they name, and whatever cannot be without them (views,
 * foreign keys, functions on their rows), by pg_dump's own account of what needs what. A partition goes with its table.
 */

export interface SkippedEntries {
  /** By ids of entries. */
  gone: { has(id: number): boolean };
  /** Of each thing of the source that is left out. */
  notes: InventoryEntry[];
  /** Of each publication that loses a table. */
  reduced: InventoryEntry[];
  /** Tables that the options leave in, and that are left out with what they need. */
  lost: Lost[];
  /** All other things. */
  kept: Things;
}

export type Things = Iterable<Thing> & { readonly length: number };

export const noneSkipped = (things: Things): SkippedEntries => ({
  ...{ gone: new Set(), notes: [], reduced: [], lost: [], kept: things },
});

const relationCatalog = 1259;
/** They say something of a sequence, and keep none of it alive. */
const sayings = new Set(["SEQUENCE OWNED BY", "COMMENT", "ACL", "SECURITY LABEL"]);

/** What pg_dump makes a view without a query into a view with one by. */
const queryRule = " _RETURN";

const nodeOf = ({ entry, kind, name }: Step): Node => ({
  ...{ id: entry.id, needs: entry.needs, entry: entry.kind, isRelation: entry.catalog === relationCatalog },
  ...{ oid: entry.oid, kind: sharedText(kind), name },
  view:
    entry.kind === "RULE" && entry.tag.endsWith(queryRule)
      ? fullName(entry.schema ?? "", entry.tag.slice(0, -queryRule.length))
      : undefined,
});

export function skipEntries(
  steps: Iterable<Step>,
  things: Iterable<Thing>,
  relations: ReadonlySet<number>,
): SkippedEntries {
  const { gone, reasons, lost, reduced } = findReasons(steps, things, relations);
  const reasonOf = (thing: Thing): string | undefined => {
    const own = reasons.get(thingKey(thing));
    if (own !== undefined || !thing.relation || thing.kind === "sequence") return own;
    for (const kind of holders) {
      const reason = reasons.get(thingKey({ kind, name: thing.relation }));
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
  const notes: InventoryEntry[] = [];
  const kept = createPacked<Thing>();
  for (const thing of things) {
    const reason = reasonOf(thing);
    if (reason === undefined) kept.push(thing);
    else
      notes.push({
        kind: sharedText(thing.kind),
        name: printable(thing.name),
        outcome: "not_applicable",
        note: sharedText(printable(reason)),
      });
  }
  return { gone, notes, reduced, lost, kept };
}

/** What is left out, by entries' ids; and why, by keys of things. */
function findReasons(steps: Iterable<Step>, things: Iterable<Thing>, relations: ReadonlySet<number>) {
  const nodes = Array.from(steps, nodeOf);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const views = new Map(nodes.flatMap(({ id, entry, name }) => (entry === "VIEW" ? [[name, id] as const] : [])));
  /** Entry → the entry of what it needs and has not; its own id for the tables and views themselves. */
  const gone = new Map<number, number>();
  const spread = () => {
    for (let before = -1; before !== gone.size; ) {
      before = gone.size;
      for (const { id, needs, kind, view } of nodes) {
        if (gone.has(id)) continue;
        const missing = needs.find((need) => gone.has(need));
        if (missing === undefined) continue;
        const root = gone.get(missing) ?? missing;
        // What is said of a table goes with it without a word of its own.
        gone.set(id, kind === "comment" || kind === "acl" ? id : root);
        // Without its query a view would stay a placeholder that answers NULL.
        const placeholder = view === undefined ? undefined : views.get(view);
        if (placeholder !== undefined && !gone.has(placeholder)) gone.set(placeholder, root);
      }
    }
  };
  for (const { id, isRelation, oid } of nodes) if (isRelation && relations.has(oid)) gone.set(id, id);
  spread();
  const names = new Set(nodes.flatMap(({ id, isRelation, name }) => (gone.has(id) && isRelation ? [name] : [])));
  const ownerOf = new Map<string, Thing["relation"]>();
  for (const { kind, name, relation } of things) if (kind === "sequence") ownerOf.set(name, relation);
  const orphans = nodes.filter(
    ({ id, entry, name }) => entry === "SEQUENCE" && !gone.has(id) && names.has(ownerOf.get(name) ?? ""),
  );
  const used = new Set(nodes.flatMap(({ id, entry, needs }) => (gone.has(id) || sayings.has(entry) ? [] : needs)));
  for (const { id } of orphans) if (!used.has(id)) gone.set(id, id);
  spread();

  const reasons = new Map<string, string>();
  for (const { id, entry, kind, name } of nodes) {
    const root = gone.get(id);
    if (root === undefined || sayings.has(entry)) continue;
    const by = "skipped by options.include or options.exclude";
    reasons.set(thingKey({ kind, name }), root === id ? by : `needs ${wordsOf(byId.get(root))}, which is ${by}`);
  }
  return { gone, reasons, ...findLost(nodes, byId, gone) };
}

const holders = ["table", "view", "materialized view", "foreign table"];

const wordsOf = (node: Node | undefined): string => (node === undefined ? "something" : `${node.kind} ${node.name}`);
