import { type CopyOptions, EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { namesOf } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import { createSelection } from "../../../run/selection.ts";

/** Tables and publications that lose something to `include` and `exclude`, though these do not name them. Pure. */

/** What decides on an entry of pg_dump. */
export interface Node {
  id: number;
  needs: readonly number[];
  /** As pg_dump calls it. */
  entry: string;
  isRelation: boolean;
  oid: number;
  kind: string;
  name: string;
  /** Of the second part of a view that pg_dump makes in two, which has its query: the view. */
  view: string | undefined;
}

export interface Lost {
  /** A table, by its full name. */
  name: string;
  /** What it needs and what is skipped. */
  needs: Pick<Node, "kind" | "name">;
}

/** `gone`: by ids of entries, the id of the skipped one that they need. */
export function findLost(
  nodes: readonly Node[],
  byId: ReadonlyMap<number, Node>,
  gone: ReadonlyMap<number, number>,
): { lost: Lost[]; reduced: InventoryEntry[] } {
  const lost: Lost[] = [];
  const without = new Map<Node, Set<string>>();
  for (const node of nodes) {
    const root = byId.get(gone.get(node.id) ?? 0);
    if (root === undefined || root === node) continue;
    if (node.entry === "TABLE" && node.isRelation) lost.push({ name: node.name, needs: root });
    if (node.entry !== "PUBLICATION TABLE") continue;
    const needed = node.needs.flatMap((id) => byId.get(id) ?? []);
    const publication = needed.find(({ entry }) => entry === "PUBLICATION");
    if (publication === undefined || gone.has(publication.id)) continue;
    const tables = without.get(publication) ?? new Set();
    without.set(publication, tables);
    for (const { id, name, isRelation } of needed) if (isRelation && gone.has(id)) tables.add(name);
  }
  const reduced = [...without].map(
    ([{ kind, name }, tables]): InventoryEntry => ({
      ...{ kind, name: printable(name), outcome: "reported" },
      note: `made without ${listed([...tables])}, which ${tables.size === 1 ? "is" : "are"} skipped by options.include or options.exclude`,
    }),
  );
  return { lost, reduced };
}

/**
 * Why tables that the options leave in are not copied. Errors: `option_invalid` where `include` names one and not what
 * it needs.
 */
export function settleLost(
  lost: readonly Lost[],
  { include }: Pick<CopyOptions, "include">,
): { name: string; reason: string }[] {
  const wanted = createSelection(include ? { include } : {});
  const isWanted = (name: string) => {
    const [schema = "", table = ""] = namesOf(name);
    return wanted.has(schema, table);
  };
  const refused = include === undefined ? [] : lost.filter(({ needs }) => !isWanted(needs.name));
  if (refused.length > 0) {
    const needed = [...new Set(refused.map(({ needs }) => needs.name))];
    throw new EngineError(
      "option_invalid",
      `options.include names ${listed(refused.map(({ name }) => name))}, which cannot be copied without ${listed(needed)}: name ${needed.length === 1 ? "that one" : "those"} in options.include too; nothing was written`,
    );
  }
  return lost.map(({ name, needs: { kind, name: needed } }) => ({
    name: printable(name),
    reason: printable(`it needs ${kind} ${needed}, which is skipped by options.exclude`),
  }));
}

const most = 10;

const listed = (names: readonly string[]): string => shortList(names.map(printable), most);
