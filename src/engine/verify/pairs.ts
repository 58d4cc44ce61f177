import type { CopyOptions } from "../contract/index.ts";
import { createNames as createPostgresNames } from "../plan/mysql-postgres/index.ts";
import { createNames as createMysqlNames, inNamingOrder } from "../plan/postgres-mysql/index.ts";
import type { PartitionTree } from "../postgres/catalogue/partition-roots.ts";
import { schemaInTarget } from "../run/renamed-schemas.ts";
import type { TablePair } from "./checksum/index.ts";
import type { TableName } from "./checksum/rows.ts";
import type { OpenedTable } from "./sides.ts";

/** Which table of the target is which of the source, by the rules by which each direction names what it makes. Pure. */

export interface SideTables {
  engine: "mysql" | "postgres";
  /** Of the target, when it is MySQL: its only database. */
  database: string;
  exact: boolean;
  tables: readonly OpenedTable[];
}

export interface Paired {
  pairs: TablePair[];
  /** Tables of the source that have none in the target. */
  missing: TableName[];
  /** Tables of the target that no table of the source stands for. */
  extra: TableName[];
  /** `schema.table.column`: columns that the target's table lacks. */
  columns: string[];
}

/** `trees`: those whose rows may be in other partitions in the target; they are one table, if all of it was selected. */
export function pairTables(
  source: SideTables,
  target: SideTables,
  schemas: CopyOptions["schemas"],
  trees: readonly PartitionTree[] = [],
): Paired {
  const across = source.engine !== target.engine;
  // Across engines a partitioned table is one; between PostgreSQL's each partition is a table with rows of its own.
  const parts = !across && source.engine === "postgres";
  const there = new Map(target.tables.map((table) => [key(table.name, target.exact), table]));
  const { roots, leaves } = wholeTrees(source, there, schemas, trees);
  const wanted = source.tables.filter(
    (table) =>
      (parts ? !table.partitioned || roots.has(key(table.name, true)) : !table.part) &&
      !isUnmakeable(table, target.engine),
  );
  const nameOf = naming(source, target, wanted, schemas);
  const paired: Paired = { pairs: [], missing: [], extra: [], columns: [] };
  const used = new Set<OpenedTable>();
  for (const table of wanted) {
    const found = there.get(key(nameOf(table), target.exact));
    if (found === undefined) {
      paired.missing.push(table.name);
      continue;
    }
    used.add(found);
    if (leaves.has(key(table.name, true))) continue;
    const columns = pairColumns(table, found, across ? target.engine : undefined);
    paired.pairs.push({ source: table.name, target: found.name, columns: columns.pairs });
    paired.columns.push(...columns.missing.map((column) => `${table.name.join(".")}.${column}`));
  }
  paired.extra = target.tables
    .filter((table) => !used.has(table) && (parts ? !table.partitioned : !table.part))
    .map(({ name }) => name);
  return paired;
}

/** The trees of which both sides have the partitioned table, and the source's selection every partition. */
function wholeTrees(
  source: SideTables,
  there: ReadonlyMap<string, OpenedTable>,
  schemas: CopyOptions["schemas"],
  trees: readonly PartitionTree[],
) {
  const selected = new Set(source.tables.map(({ name }) => key(name, true)));
  const keyOf = ({ schema, name }: { schema: string; name: string }) => key([schema, name], true);
  const whole = trees.filter(
    (tree) =>
      [tree, ...tree.leaves].every((one) => selected.has(keyOf(one))) &&
      there.get(key([schemaInTarget(schemas, tree.schema, "postgres", "postgres"), tree.name], true))?.partitioned,
  );
  return { roots: new Set(whole.map(keyOf)), leaves: new Set(whole.flatMap((tree) => tree.leaves.map(keyOf))) };
}

/** MySQL has no tables without columns. */
export const isUnmakeable = ({ type }: OpenedTable, target: SideTables["engine"]): boolean =>
  target === "mysql" && type.columns.size === 0;

const key = ([schema, table]: TableName, exact: boolean) =>
  exact ? `${schema}\0${table}` : `${schema}\0${table}`.toLowerCase();

function naming(
  source: SideTables,
  target: SideTables,
  tables: readonly OpenedTable[],
  schemas: CopyOptions["schemas"],
): (table: OpenedTable) => TableName {
  const placed = (schema: string) => schemaInTarget(schemas, schema, source.engine, target.engine);
  if (source.engine === "mysql" && target.engine === "mysql")
    return ({ name: [schema, table] }) => [target.database, `${placed(schema)}${table}`];
  if (source.engine === "postgres" && target.engine === "postgres")
    return ({ name: [schema, table] }) => [placed(schema), table];
  const given = new Map<OpenedTable, TableName>();
  if (target.engine === "postgres") {
    const names = createPostgresNames([]);
    for (const one of tables) {
      const [schema, table] = one.name;
      given.set(one, [placed(schema), names.take(table, `table ${table}`)]);
    }
  } else {
    const names = createMysqlNames(["_rowferry"], { file: true, exact: target.exact });
    for (const one of inNamingOrder(tables, ({ name: [schema] }) => schema, schemas)) {
      const [schema, table] = one.name;
      given.set(one, [target.database, names.take(`${placed(schema)}${table}`, `table ${schema}.${table}`)]);
    }
  }
  return (table) => given.get(table) ?? table.name;
}

/** Columns that PostgreSQL has in every table. */
const systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/** `engine`: the target's, where it is not the source's and so has names of other rules. */
function pairColumns(source: OpenedTable, target: OpenedTable, engine: SideTables["engine"] | undefined) {
  const names = engine === "mysql" ? createMysqlNames() : createPostgresNames(systemColumns);
  const pairs: { source: string; target: string }[] = [];
  const missing: string[] = [];
  for (const column of source.type.columns.keys()) {
    const name = engine === undefined ? column : names.take(column, column);
    const found = [name, column].find((one) => target.type.columns.has(one));
    if (found === undefined) missing.push(column);
    else pairs.push({ source: column, target: found });
  }
  return { pairs, missing };
}
