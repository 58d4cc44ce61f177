import type { CopyOptions, Endpoint, InventoryEntry } from "../contract/index.ts";
import { createSelection } from "../run/selection.ts";
import type { TableName } from "./checksum/rows.ts";
import type { Paired } from "./pairs.ts";
import type { OpenedSide, OpenedTable } from "./sides.ts";

/** What the objects of two databases are compared with, and what comes of it. */

/** Of CopyOptions, what concerns a comparison. `verify` is `checksum` where it is left out. */
export type VerifyOptions = Pick<
  CopyOptions,
  | "jobs"
  | "include"
  | "exclude"
  | "schemas"
  | "verify"
  | "bandwidth"
  | "zero_dates"
  | "statement_timeout"
  | "source_locks"
  | "blocking_timeout"
>;

export interface ObjectsCompared {
  inventory: InventoryEntry[];
  /** Tables of the target that nothing of the source stands for. */
  extra: TableName[];
  objects: {
    /** How they were compared. */
    by: "definition" | "name";
    compared: number;
    /** That the target lacks or has otherwise; by definition also what it has alone on a table of the source. */
    different: number;
    /** By definition: that servers of these versions write in texts of their own, which differ. */
    undecided: string[];
    /** By name: objects, by kind, whose definition was not compared, and how far they were. */
    not_compared: string[];
    /** What the target cannot have as the source has it (owners, rights, what its server does not know, what a copy reports), and is no difference. */
    notes: string[];
  };
}

export interface Comparing {
  source: OpenedSide;
  target: OpenedSide;
  from: Endpoint;
  to: Endpoint;
  options: VerifyOptions;
  paired: Paired;
  /** Tables of the source that the options leave in. */
  selected: readonly OpenedTable[];
}

/** The columns that both sides have, of each pair of tables, with their types. */
export function* pairedColumns({ source, target, paired }: Pick<Comparing, "source" | "target" | "paired">) {
  const typesOf = ({ tables }: OpenedSide) => new Map(tables.map(({ name, type }) => [name.join("\0"), type.columns]));
  const [ours, theirs] = [typesOf(source), typesOf(target)];
  for (const pair of paired.pairs)
    for (const column of pair.columns) {
      const one = ours.get(pair.source.join("\0"))?.get(column.source);
      const other = theirs.get(pair.target.join("\0"))?.get(column.target);
      if (one !== undefined && other !== undefined) yield { pair, column, one, other };
    }
}

/**
 * Tables and views of the source that the options leave out, as a copy does: between PostgreSQL's a view goes with what it
 * reads, and `exclude` alone speaks of it.
 */
export function skippedTables({ source, selected, from, to, options }: Comparing): TableName[] {
  const { exclude } = options;
  const within = from.engine === "postgres" && to.engine === "postgres";
  const selection = createSelection(within ? (exclude === undefined ? {} : { exclude }) : options);
  return [
    ...source.tables.flatMap((table) => (selected.includes(table) ? [] : [table.name])),
    ...source.views.filter((view) => !selection.has(...view)),
  ];
}
