import type { Verification } from "../../../contract/index.ts";
import type { Table } from "../../../postgres/catalogue/tables.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { compareTables } from "../../../verify/checksum/index.ts";
import type { CopyWorker } from "./worker.ts";

/** The values of tables on both sides, the source's inside the snapshot. */
export async function compareValues(
  workers: readonly CopyWorker[],
  tables: readonly Table[],
  options: { signal: AbortSignal; throttle?: Throttle; progress?: (table: string, rows: number) => void },
): Promise<Verification> {
  // Rows of an extension's own stand among the user's, and are the target's version's.
  const own = tables.filter(({ extension }) => extension === undefined);
  const verification = await compareTables(
    { engine: "postgres", sessions: workers.map(({ source }) => source) },
    { engine: "postgres", sessions: workers.map(({ target }) => target) },
    own.map(({ schema, name, columns }) => ({
      source: [schema, name],
      target: [schema, name],
      columns: columns.map((column) => ({ source: column.name, target: column.name })),
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
