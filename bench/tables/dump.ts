// The same by each engine's dump piped into its client, for comparison: everything, and the schema alone.
import { join } from "node:path";
import type { Database } from "../../dev/databases/index.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { runChild } from "../child.ts";
import { inPeers, openPeers, type Peers } from "../peers.ts";
import { emptyDatabase, engineOf, mariadb } from "../servers.ts";
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

/** All that the source holds, or what it is made of without its rows. */
export type Dumped = "all" | "schema";

/** Seconds of `pg_dump -Fp | psql` from one database into another that is empty. Errors: the last words of either. */
const dumpIntoPsql = async (from: Named, into: Named, what: Dumped, { pgBin, signal }: DumpTools): Promise<number> => {
  const flag = what === "schema" ? "-s" : "";
  // bash ends with the first of the two that failed, and both end with it.
  const script = `"$1/pg_dump" -Fp ${flag} "$2" | "$1/psql" -q -X -v ON_ERROR_STOP=1 -d "$3" >/dev/null`;
  const { code, words, ms } = await runChild(
    "bash",
    ["-o", "pipefail", "-c", script, "bash", pgBin, urlOf(from), urlOf(into)],
    { signal },
  );
  if (code !== 0) throw new Error(`pg_dump or psql ended with ${code}: ${words}`);
  return ms / 1000;
};

/** Seconds of `mariadb-dump | mariadb` from one database into another that is empty. Errors: the last words of either. */
const dumpIntoMariadb = async (from: Named, into: Named, what: Dumped, peers: Peers): Promise<number> => {
  const { port, password } = from.server;
  const flag = what === "schema" ? "--no-data" : "";
  const dump = `mariadb-dump --no-defaults -h127.0.0.1 -P${port} -uroot -p${password} --single-transaction --quick ${flag}`;
  const { ms } = await inPeers(peers, `${dump} ${from.database} | ${mariadb(into.server)} ${into.database}`);
  return ms / 1000;
};

/** Seconds of the engine's own dump, piped into its client, from one database into another that is made anew. */
export const dumpInto = async (
  from: Named,
  into: Named,
  what: Dumped,
  tools: DumpTools & { terminal: Terminal },
): Promise<number> => {
  await emptyDatabase(into.server, into.database);
  const words = what === "schema" ? "the schema alone, by the engine's dump" : "all, by the engine's dump";
  return tools.terminal.step(`Copy ${words}, piped`, async () =>
    engineOf(into.server) === "postgres"
      ? dumpIntoPsql(from, into, what, tools)
      : dumpIntoMariadb(from, into, what, await openPeers(tools.terminal, tools.signal)),
  );
};
