import { counted } from "../../../../guard/text.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { isRefusal, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { pairOf, searchColumns } from "../../../verify/checksum/generated-columns.ts";
import { compareTables, type TablePair } from "../../../verify/checksum/index.ts";
import type { CopyWorker } from "../copy/worker.ts";
import type { Notes } from "./account.ts";

/**
 * Generated columns are not copied but computed in the target, where another locale, another version of a collation or a
 * function that was replaced since may answer otherwise: their values are compared with the source's at every verify level.
 */
interface ComputedColumns {
  columns: readonly string[];
  /** The table's primary key. */
  key: readonly string[] | null;
}

/** By the oid of the source's table. */
export type ComputedTables = Map<number, ComputedColumns>;

/** Of extensions' tables none: their rows are the target's version's. Without the columns that are copied. */
export async function readComputed(source: Session, tables: readonly DataTable[]): Promise<ComputedTables> {
  if (source.version < 120_000) return new Map();
  const found = await source.query<ComputedColumns & { oid: number }>(
    `SELECT a.attrelid::int8 AS oid, pg_catalog.json_agg(a.attname ORDER BY a.attnum) AS columns,
            (SELECT pg_catalog.json_agg(k.attname) FROM pg_catalog.pg_index i
               JOIN pg_catalog.pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
              WHERE i.indrelid = a.attrelid AND i.indisprimary) AS key
       FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      WHERE a.attgenerated <> '' AND NOT a.attisdropped GROUP BY a.attrelid`,
  );
  const own = new Map(tables.flatMap((table) => (table.extension === undefined ? [[table.oid, table] as const] : [])));
  return new Map(
    found.flatMap(({ oid, columns, key }) => {
      const copied = own.get(oid)?.columns;
      const rest = columns.filter((column) => copied?.every(({ name }) => name !== column));
      return rest.length === 0 ? [] : [[oid, { columns: rest, key }] as const];
    }),
  );
}

interface Comparison {
  workers: readonly CopyWorker[];
  signal: AbortSignal;
  throttle: Throttle;
  progress: { touch(): void };
}

/**
 * Reports the columns whose values differ or cannot be compared; before the target has its indexes. A column that cannot be
 * read is taken out of `computed`.
 */
export async function tellOthers(
  run: Comparison & { said: Notes },
  tables: readonly DataTable[],
  computed: ComputedTables,
): Promise<void> {
  const computing = tables.flatMap(({ oid, schema, name, columns }) => {
    const own = computed.get(oid);
    if (own === undefined) return [];
    const names: [string, string] = [schema, name];
    const beside = both(own.key ?? columns.map((column) => column.name));
    return [{ oid, own, source: names, target: names, columns: both(own.columns), beside }];
  });
  const found = await searchColumns(computing, (some, alone) => compare(run, some.map(pairOf), alone ? 1 : 0));
  for (const [{ oid, own, source }, differing] of found) {
    for (const [column, { note }] of differing) {
      const name = printable(fullName(...source, column));
      run.said.note({ kind: "generated column", name, outcome: "reported", note });
      run.said.warn(`generated column ${name}: ${note}`);
    }
    const columns = own.columns.filter((column) => differing.get(column)?.isCompared !== false);
    computed.set(oid, { ...own, columns });
  }
}

const both = (names: readonly string[]) => names.map((name) => ({ source: name, target: name }));

interface Different {
  /** False: its values could not be read. */
  isCompared: boolean;
  note: string;
}

const unread = (why: string): Different => ({
  isCompared: false,
  note: `its values could not be compared (${why})`,
});

async function compare(
  { workers, signal, throttle, progress }: Comparison,
  pairs: readonly TablePair[],
  maxKeys: number,
): Promise<Different | undefined> {
  try {
    const { differences, uncompared } = await compareTables(
      { engine: "postgres", sessions: workers.map(({ source }) => source) },
      { engine: "postgres", sessions: workers.map(({ target }) => target) },
      pairs,
      { jobs: workers.length, signal, throttle, maxKeys, indexless: true, progress: () => progress.touch() },
    );
    const [difference] = differences;
    if (difference !== undefined)
      return {
        isCompared: true,
        note: `${difference.differing ?? "many"} of its values are not those of the source (of ${counted(difference.rows.source, "row")}): generated columns are not copied, and the target's locale, version or functions give others`,
      };
    return uncompared.length > 0 ? unread(uncompared.join("; ")) : undefined;
  } catch (error) {
    // 42501: a target that only takes rows.
    if (!isRefusal(error) && sqlState(error) !== "42501") throw error;
    return unread(serverMessage(error));
  }
}
