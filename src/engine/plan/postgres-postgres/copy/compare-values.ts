import type { Verification } from "../../../contract/index.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { compareTables } from "../../../verify/checksum/index.ts";
import type { ComputedTables } from "../finish/computed-columns.ts";
import type { CopyWorker } from "./worker.ts";

/** The values of tables on both sides, the source's inside the snapshot. */
export async function compareValues(
  workers: readonly CopyWorker[],
  tables: readonly DataTable[],
  {
    computed,
    ...options
  }: {
    signal: AbortSignal;
    throttle?: Throttle;
    /** Columns that the target computes, to be compared as well. */
    computed?: ComputedTables;
    progress?: (table: string, rows: number) => void;
  },
): Promise<Verification> {
  // Rows of an extension's own stand among the user's, and are the target's version's.
  const own = tables.filter(({ extension }) => extension === undefined);
  const verification = await compareTables(
    { engine: "postgres", sessions: workers.map(({ source }) => source) },
    { engine: "postgres", sessions: workers.map(({ target }) => target) },
    own.map(({ oid, schema, name, columns }) => ({
      source: [schema, name],
      target: [schema, name],
      columns: [...columns.map((column) => column.name), ...(computed?.get(oid)?.columns ?? [])].map((column) => ({
        source: column,
        target: column,
      })),
    })),
    { jobs: workers.length, ...options },
  );
  const others = tables.filter(({ extension }) => extension !== undefined);
  return {
    ...verification,
    uncompared: [
      ...verification.uncompared,
      ...others.map(({ schema, name }) => `${schema}.${name}: it has rows of an extension among the user's`),
    ],
  };
}
