import type { CopyOptions, InventoryEntry } from "../contract.ts";
import type { Session } from "../postgres/connection.ts";
import { type Thing, thingKey } from "../postgres/inventory.ts";
import { ofUsers } from "../postgres/source.ts";
import { createSelection } from "../selection.ts";
import { printable } from "../text/printable.ts";
import type { Step } from "./entries.ts";

/**
 * What `include` and `exclude` leave out: the tables and views that they name, and whatever cannot be without them (views,
 * foreign keys, functions on their rows), by pg_dump's own account of what needs what. A partition goes with its table.
 */

export interface Selectable {
  oid: number;
  schema: string;
  table: string;
  /** It is copied with what it reads, and only `exclude` speaks of it. */
  view: boolean;
  /** The tables that it is a partition of, from the next one up. */
  above: { schema: string; table: string }[];
}

/** Every table and view that a pattern may name. */
export const readSelectable = (source: Session) =>
  source.query<Selectable>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS table, c.relkind IN ('v', 'm') AS view,
            COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', an.nspname, 'table', a.relname))
                        FROM pg_catalog.pg_partition_ancestors(c.oid) p JOIN pg_catalog.pg_class a ON a.oid = p.relid
                        JOIN pg_catalog.pg_namespace an ON an.oid = a.relnamespace WHERE c.relispartition AND p.relid <> c.oid), '[]') AS above
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
  );

/** Oids of the tables and views that the options leave out. Errors: `option_unmatched`. */
export function unselected(all: readonly Selectable[], options: Pick<CopyOptions, "include" | "exclude">): Set<number> {
  createSelection(options).refuseUnmatched(all);
  return leftOut(all, options);
}

/** The same, whatever the patterns match. */
export function leftOut(
  all: readonly Selectable[],
  { include, exclude }: Pick<CopyOptions, "include" | "exclude">,
): Set<number> {
  const wanted = createSelection(include ? { include } : {});
  const spared = createSelection(exclude ? { exclude } : {});
  return new Set(
    all.flatMap(({ oid, view, above, ...own }) => {
      const names = [own, ...above];
      const some = view || names.some(({ schema, table }) => wanted.has(schema, table));
      return some && names.every(({ schema, table }) => spared.has(schema, table)) ? [] : [oid];
    }),
  );
}

export interface LeftOut {
  kept: Step[];
  /** Of each thing of the source that is left out. */
  notes: InventoryEntry[];
}

const relationCatalog = 1259;
/** They say something of a sequence, and keep none of it alive. */
const sayings = new Set(["SEQUENCE OWNED BY", "COMMENT", "ACL", "SECURITY LABEL"]);

export function leaveOut(steps: readonly Step[], things: readonly Thing[], relations: ReadonlySet<number>): LeftOut {
  /** Entry → the words of what it needs and has not; empty for the tables and views themselves. */
  const gone = new Map<number, string>();
  const spread = () => {
    for (let before = -1; before !== gone.size; ) {
      before = gone.size;
      for (const { entry, kind } of steps) {
        if (gone.has(entry.id)) continue;
        const missing = entry.needs.find((need) => gone.has(need));
        if (missing === undefined) continue;
        const why = gone.get(missing) || nameOf(steps, missing);
        // What is said of a table goes with it without a word of its own.
        gone.set(entry.id, kind === "comment" || kind === "acl" ? "" : why);
      }
    }
  };
  for (const { entry } of steps)
    if (entry.catalog === relationCatalog && relations.has(entry.oid)) gone.set(entry.id, "");
  spread();
  const names = new Set(
    steps.flatMap(({ entry, name }) => (gone.has(entry.id) && entry.catalog === relationCatalog ? [name] : [])),
  );
  const ownerOf = new Map(
    things.filter(({ kind }) => kind === "sequence").map((thing) => [thing.name, thing.relation]),
  );
  for (const { entry, name } of steps) {
    if (entry.kind !== "SEQUENCE" || gone.has(entry.id) || !names.has(ownerOf.get(name) ?? "")) continue;
    const used = steps.some(
      (step) => !gone.has(step.entry.id) && !sayings.has(step.entry.kind) && step.entry.needs.includes(entry.id),
    );
    if (!used) gone.set(entry.id, "");
  }
  spread();

  const reasons = new Map<string, string>();
  for (const { entry, kind, name } of steps) {
    const why = gone.get(entry.id);
    if (why === undefined || sayings.has(entry.kind)) continue;
    reasons.set(
      thingKey({ kind, name }),
      why === "" ? chosen : `needs ${why}, which is left out by include or exclude`,
    );
  }
  const notes = things.flatMap((thing): InventoryEntry[] => {
    const reason =
      reasons.get(thingKey(thing)) ??
      (thing.relation && thing.kind !== "sequence"
        ? ["table", "view", "materialized view", "foreign table"]
            .map((kind) => reasons.get(thingKey({ kind, name: thing.relation ?? "" })))
            .find((found) => found !== undefined)
        : undefined);
    if (reason === undefined) return [];
    return [{ kind: thing.kind, name: printable(thing.name), outcome: "not_applicable", note: printable(reason) }];
  });
  return { kept: steps.filter(({ entry }) => !gone.has(entry.id)), notes };
}

const chosen = "left out by include or exclude";

function nameOf(steps: readonly Step[], id: number): string {
  const step = steps.find(({ entry }) => entry.id === id);
  return step === undefined ? "something" : `${step.kind} ${step.name}`;
}
