import { printable } from "../../../contract/text/printable.ts";
import { type PartitionTree, partitionRoots } from "../../../postgres/catalogue/partition-roots.ts";
import type { Table } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { qualified } from "../../../postgres/driver/names.ts";

/** Partition trees that are loaded, counted and compared as one table, since their rows may belong to other partitions there. */

/** The tables that hold rows. */
export const heaps = <T extends { leaves?: readonly T[] }>(tables: readonly T[]): T[] =>
  tables.flatMap((table) => table.leaves ?? [table]);

/** The same, and the partitioned tables above them. */
export const withLeaves = <T extends { leaves?: readonly T[] }>(tables: readonly T[]): T[] =>
  tables.flatMap((table) => [table, ...(table.leaves ?? [])]);

/** For FROM: without the tables that inherit from it; a table that is loaded through its root with its partitions. */
export const relationOf = ({ schema, name, leaves }: Pick<Table, "schema" | "name" | "leaves">): string =>
  `${leaves === undefined ? "ONLY " : ""}${qualified(schema, name)}`;

/** The plan's tables as the run copies them. With `present` the target's own tables are filled. */
export async function throughRoots(
  source: Session,
  target: Session,
  tables: readonly Table[],
  { present, log }: { present: boolean; log(message: string): void },
): Promise<Table[]> {
  const trees = await partitionRoots(source, target);
  const partitioned = present ? await partitionedIn(target) : undefined;
  const usable = trees.filter((tree) => partitioned?.has(keyOf(tree)) ?? true);
  const folded = foldTrees(tables, usable);
  const roots = folded.filter(({ leaves }) => leaves !== undefined);
  if (roots.length > 0)
    log(
      `Rows are loaded through the partitioned table, since the target may choose other partitions for them: ${roots
        .slice(0, 20)
        .map(({ schema, name }) => printable(`${schema}.${name}`))
        .join(", ")}${roots.length > 20 ? ` and ${roots.length - 20} more` : ""}`,
    );
  return folded;
}

const keyOf = ({ schema, name }: Pick<Table, "schema" | "name">) => JSON.stringify([schema, name]);

async function partitionedIn(target: Session): Promise<ReadonlySet<string>> {
  const rows = await target.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'p'`,
  );
  return new Set(rows.map(keyOf));
}

/** A tree with a partition that is not copied stays as it is: the rest of its rows could not be compared. Pure. */
export function foldTrees(tables: readonly Table[], trees: readonly PartitionTree[]): Table[] {
  const byOid = new Map(tables.map((table) => [table.oid, table]));
  const rootOf = new Map<number, Table>();
  for (const { oid, schema, name, leaves: all } of trees) {
    const leaves = all.flatMap((leaf) => byOid.get(leaf.oid) ?? []);
    const [first] = leaves;
    if (first === undefined || leaves.length < all.length || leaves.some(({ extension }) => extension !== undefined))
      continue;
    const sum = (of: (leaf: Table) => number) => leaves.reduce((total, leaf) => total + of(leaf), 0);
    const root: Table = {
      ...{ oid, schema, name, leaves, columns: first.columns, extension: undefined },
      // Its partitions may have their columns in another order.
      bare: false,
      ...{ bytes: sum(({ bytes }) => bytes), pages: 0, rows: sum(({ rows }) => rows), heap: false },
    };
    for (const leaf of leaves) rootOf.set(leaf.oid, root);
  }
  return [...new Set(tables.map((table) => rootOf.get(table.oid) ?? table))].sort((a, b) => b.bytes - a.bytes);
}
