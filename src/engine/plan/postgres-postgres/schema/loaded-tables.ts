import type { CopyOptions } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type PartitionTree, partitionRoots } from "../../../postgres/catalogue/partition-roots.ts";
import { type DataTable, readGenerated } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";

/**
 * Tables as their rows are read, loaded and compared: partition trees as one table where rows may belong to other partitions
 * in the target.
 */

/** The tables that hold rows. */
export const heaps = <T extends { leaves?: readonly T[] }>(tables: readonly T[]): T[] =>
  tables.flatMap((table) => table.leaves ?? [table]);

/** The same, and the partitioned tables above them. */
export const withLeaves = <T extends { leaves?: readonly T[] }>(tables: readonly T[]): T[] =>
  tables.flatMap((table) => [table, ...(table.leaves ?? [])]);

/** For FROM: without the tables that inherit from it; a table that is loaded through its root with its partitions. */
export const relationOf = ({ schema, name, leaves }: Pick<DataTable, "schema" | "name" | "leaves">): string =>
  `${leaves === undefined ? "ONLY " : ""}${qualified(schema, name)}`;

/** Tables as their rows are read from the source and loaded into the target. */
export async function loadedTables(
  source: Session,
  target: Session,
  tables: readonly DataTable[],
  { content, log }: { content: NonNullable<CopyOptions["content"]>; log(message: string): void },
): Promise<readonly DataTable[]> {
  if (content === "schema") return tables;
  const present = content === "data";
  const rooted = await throughRoots(source, target, tables, { present, log });
  return present ? withPlainThere(source, target, rooted) : rooted;
}

/** With `present` the target's own tables are filled. */
async function throughRoots(
  source: Session,
  target: Session,
  tables: readonly DataTable[],
  { present, log }: { present: boolean; log(message: string): void },
): Promise<DataTable[]> {
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

/** A table's names, as the fence's marks have them. */
export const keyOf = ({ schema, name }: Pick<DataTable, "schema" | "name">): string => JSON.stringify([schema, name]);

async function partitionedIn(target: Session): Promise<ReadonlySet<string>> {
  const rows = await target.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'p'`,
  );
  return new Set(rows.map(keyOf));
}

/** Rows alone: columns that the source computes and the target has plain take the values that the source computed. */
async function withPlainThere(source: Session, target: Session, tables: readonly DataTable[]): Promise<DataTable[]> {
  const generated = await readGenerated(source);
  const concerned = withLeaves(tables).filter(({ oid, extension }) => generated.has(oid) && extension === undefined);
  if (concerned.length === 0) return [...tables];
  const plain = await plainColumns(target, concerned);
  return tables.map((table) => {
    const there = table.extension === undefined ? plain.get(keyOf(table)) : undefined;
    const more = (generated.get(table.oid) ?? []).filter(({ name }) => there?.has(name) === true);
    if (more.length === 0) return table;
    // COPY refuses a generated column in its list: it is read by a query, as an expression.
    const read = more.map((column) => ({ ...column, read: column.read ?? `(${identifier(column.name)})` }));
    return { ...table, columns: [...table.columns, ...read], bare: false };
  });
}

async function plainColumns(target: Session, tables: readonly DataTable[]): Promise<Map<string, Set<string>>> {
  const generated = target.version >= 120_000 ? "a.attgenerated <> ''" : "false";
  const rows = await target.query<{ schema: string; name: string; columns: string[] }>(
    `SELECT n.nspname AS schema, c.relname AS name, pg_catalog.json_agg(a.attname) AS columns
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text)
       JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.name AND c.relkind IN ('r', 'p')
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT (${generated})
      GROUP BY 1, 2`,
    [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
  );
  return new Map(rows.map(({ columns, ...table }) => [keyOf(table), new Set(columns)]));
}

/** A tree with a partition that is not copied stays as it is: the rest of its rows could not be compared. Pure. */
export function foldTrees(tables: readonly DataTable[], trees: readonly PartitionTree[]): DataTable[] {
  const byOid = new Map(tables.map((table) => [table.oid, table]));
  const rootOf = new Map<number, DataTable>();
  for (const { oid, schema, name, leaves: all } of trees) {
    const leaves = all.flatMap((leaf) => byOid.get(leaf.oid) ?? []);
    const [first] = leaves;
    if (first === undefined || leaves.length < all.length || leaves.some(({ extension }) => extension !== undefined))
      continue;
    const sum = (of: (leaf: DataTable) => number) => leaves.reduce((total, leaf) => total + of(leaf), 0);
    const root: DataTable = {
      ...{ oid, schema, name, leaves, columns: first.columns, extension: undefined },
      // Its partitions may have their columns in another order.
      bare: false,
      ...{ bytes: sum(({ bytes }) => bytes), pages: 0, rows: sum(({ rows }) => rows), heap: false },
    };
    for (const leaf of leaves) rootOf.set(leaf.oid, root);
  }
  return [...new Set(tables.map((table) => rootOf.get(table.oid) ?? table))].sort((a, b) => b.bytes - a.bytes);
}
