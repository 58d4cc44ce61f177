import type { TableDifference, Verification } from "../contract/index.ts";
import { workOff } from "../run/pool.ts";
import { createDialect } from "./checksum/dialect.ts";
import type { TablePair } from "./checksum/index.ts";
import { formatTable } from "./checksum/messages.ts";
import type { TableName } from "./checksum/rows.ts";
import { type Reader, readBoth, readersOf, type SideSessions } from "./checksum/side.ts";
import { type Tables, tableKey } from "./checksum/types.ts";

/** Compares the numbers of rows alone. */
export async function compareCounts(
  source: SideSessions,
  target: SideSessions,
  pairs: readonly TablePair[],
  { jobs, signal, progress }: { jobs: number; signal: AbortSignal; progress(table: string, rows: number): void },
): Promise<Verification> {
  const readers = { source: readersOf(source, undefined), target: readersOf(target, undefined) };
  const workers = readers.source
    .slice(0, Math.min(jobs, readers.target.length))
    .map((reader, at) => ({ source: reader, target: readers.target[at] as Reader }));
  const [ours, theirs] = await readBoth(source, target, pairs);
  const differences: TableDifference[] = [];
  let total = 0;
  const tasks = pairs.map((pair) => ({
    async run(pairOf: (typeof workers)[number]) {
      signal.throwIfAborted();
      const counts = await Promise.allSettled([
        count(source, ours, pairOf.source, pair.source),
        count(target, theirs, pairOf.target, pair.target),
      ]);
      const [there = 0, here = 0] = counts.map((one) => {
        if (one.status === "rejected") throw one.reason;
        return one.value;
      });
      progress(formatTable(pair.source), there);
      total += there;
      if (there !== here)
        differences.push({
          source: formatTable(pair.source),
          target: formatTable(pair.target),
          rows: { source: there, target: here },
          keys: [],
        });
    },
  }));
  await workOff(workers, tasks);
  return { level: "counts", rows: total, tables: pairs.length, differences, uncompared: [] };
}

async function count({ engine }: SideSessions, types: Tables, reader: Reader, name: TableName): Promise<number> {
  const { select, from } = createDialect(engine, "md5");
  const type = types.get(tableKey(...name));
  const sql = `${select(type?.storage)} count(*) AS total ${from(name[0], name[1], type?.partitioned === true)}`;
  const [[rows] = []] = await reader.reading(type?.lockable ? name : undefined, (one) => one.query(sql));
  return Number(rows ?? 0);
}
