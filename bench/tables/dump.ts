// The schema alone by pg_dump, and all of it by each engine's dump piped into its client, for comparison.
import { join } from "node:path";
import type { Database } from "../../dev/databases/index.ts";
import { runChild } from "../child.ts";
import { inPeers, type Peers } from "../peers.ts";
import { mariadb } from "../servers.ts";
import { createMemoryWatch } from "./memory.ts";

/** A database of a server, as the administrator sees it. */
export type Named = { server: Database; database: string };
/** `pgBin`: the folder of pg_dump and psql. */
export type DumpTools = { pgBin: string; signal: AbortSignal };

const urlOf = ({ server, database }: Named): string => server.urlOf(database, "admin");

/** `pg_dump -s` of one database into /dev/null. Errors: its last words. */
export const dumpSchema = async (
  from: Named,
  { pgBin, signal }: DumpTools,
): Promise<{ seconds: number; peakMib: number }> => {
  const memory = createMemoryWatch();
  const { code, words, ms } = await runChild(
    join(pgBin, "pg_dump"),
    ["-s", "-f", "/dev/null", urlOf(from)],
    { signal },
    memory.watch,
  );
  if (code !== 0) throw new Error(`pg_dump ended with ${code}: ${words}`);
  return { seconds: ms / 1000, peakMib: memory.peaks().together };
};

/** Seconds of `pg_dump -Fp | psql` from one database into another that is empty. Errors: the last words of either. */
export const dumpIntoPsql = async (from: Named, into: Named, { pgBin, signal }: DumpTools): Promise<number> => {
  // bash ends with the first of the two that failed, and both end with it.
  const script = '"$1/pg_dump" -Fp "$2" | "$1/psql" -q -X -v ON_ERROR_STOP=1 -d "$3" >/dev/null';
  const { code, words, ms } = await runChild(
    "bash",
    ["-o", "pipefail", "-c", script, "bash", pgBin, urlOf(from), urlOf(into)],
    { signal },
  );
  if (code !== 0) throw new Error(`pg_dump or psql ended with ${code}: ${words}`);
  return ms / 1000;
};

/** Seconds of `mariadb-dump | mariadb` from one database into another that is empty. Errors: the last words of either. */
export const dumpIntoMariadb = async (from: Named, into: Named, peers: Peers): Promise<number> => {
  const { port, password } = from.server;
  const dump = `mariadb-dump --no-defaults -h127.0.0.1 -P${port} -uroot -p${password} --single-transaction --quick`;
  const { ms } = await inPeers(peers, `${dump} ${from.database} | ${mariadb(into.server)} ${into.database}`);
  return ms / 1000;
};
