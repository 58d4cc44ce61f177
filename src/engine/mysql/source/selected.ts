import type { InventoryEntry } from "../../contract/index.ts";
import type { Selection } from "../../run/selection.ts";
import type { Catalogue } from "../catalogue/tables.ts";

/** What of a source the options include and exclude leave to be copied. Pure. */

const isRelation = (kind: Catalogue["others"][number]["kind"]): boolean => kind === "view" || kind === "sequence";

/** The tables and views of a catalogue that was read with the selection, and what to say of the others. Errors: `option_unmatched`. */
export function selectedCatalogue(
  whole: Catalogue,
  database: string,
  selection: Selection,
): { catalogue: Catalogue; excluded: InventoryEntry[] } {
  const has = (name: string) => selection.has(database, name);
  const relations = [
    ...whole.tables.map(({ name }) => name),
    ...whole.left,
    ...whole.others.flatMap(({ kind, name }) => (isRelation(kind) ? [name] : [])),
  ];
  selection.refuseUnmatched(relations.map((table) => ({ schema: database, table })));
  const note = "skipped by options.include or options.exclude";
  const leftOut = (kind: string, name: string): InventoryEntry => ({ kind, name, outcome: "not_applicable", note });
  const isOut = ({ kind, name, table }: Catalogue["others"][number]) =>
    (isRelation(kind) && !has(name)) || (kind === "trigger" && table !== undefined && !has(table));
  return {
    catalogue: {
      ...whole,
      others: whole.others.filter((other) => !isOut(other)),
    },
    excluded: [
      ...whole.left.map((name) => leftOut("table", name)),
      ...whole.others.flatMap((other) => (isOut(other) ? [leftOut(other.kind, other.name)] : [])),
    ],
  };
}
