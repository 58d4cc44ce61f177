import type { InventoryEntry } from "../../contract/index.ts";
import { leftCheckpoint } from "../../run/fence/leftover-checkpoint.ts";
import type { Selection } from "../../run/selection.ts";
import type { Catalogue } from "../catalogue/tables.ts";
import type { Session } from "../driver/session.ts";
import { fenceTableName, leftInSource } from "../fence/table.ts";

/** What of a source is to be copied: what the options include and exclude leave, but for the table of a copy that was made into it. */

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

/** The catalogue without that table. Errors: `reserved_name` for a user's table of its name, where it is to be copied. */
export async function withoutCheckpoint(
  session: Session,
  database: string,
  whole: Catalogue,
  has: (table: string) => boolean,
): Promise<{ whole: Catalogue; left: InventoryEntry[] }> {
  if (!has(fenceTableName) || !(await leftInSource(session, database))) return { whole, left: [] };
  const tables = whole.tables.filter(({ name }) => name !== fenceTableName);
  return { whole: { ...whole, tables }, left: [leftCheckpoint(fenceTableName)] };
}
