// The schema alone by pg_dump, and all of it by pg_dump piped into psql, for comparison.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Database } from "../../dev/databases/index.ts";
import { watchMemory } from "./memory.ts";

/** `pg_dump -s` of one database into /dev/null. Errors: its last words. */
export const dumpSchema = async (
  server: Database,
  database: string,
  pgBin: string,
): Promise<{ seconds: number; peakMib: number }> => {
  const begun = performance.now();
  const child = spawn(join(pgBin, "pg_dump"), ["-s", server.urlOf(database, "admin")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (said: string) => {
    words = (words + said).slice(-1000);
  });
  const memory = watchMemory(child.pid ?? 0);
  const [code] = (await once(child, "close")) as [number | null];
  const peakMib = memory.end();
  if (code !== 0) throw new Error(`pg_dump ended with ${code}: ${words}`);
  return { seconds: (performance.now() - begun) / 1000, peakMib };
};

/** Seconds of `pg_dump -Fp | psql` from one database into another that is empty. Errors: the last words of either. */
export const dumpIntoPsql = async (
  from: { server: Database; database: string },
  into: { server: Database; database: string },
  pgBin: string,
): Promise<number> => {
  const begun = performance.now();
  const dump = spawn(join(pgBin, "pg_dump"), ["-Fp", from.server.urlOf(from.database, "admin")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const psql = spawn(
    join(pgBin, "psql"),
    ["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", into.server.urlOf(into.database, "admin")],
    { stdio: [dump.stdout, "ignore", "pipe"] },
  );
  // psql has its own of it now.
  dump.stdout.destroy();
  const ended = await Promise.all(
    [dump, psql].map(async (child) => {
      let words = "";
      child.stderr?.setEncoding("utf8").on("data", (said: string) => {
        words = (words + said).slice(-1000);
      });
      const [code] = (await once(child, "exit")) as [number | null];
      return { code, words };
    }),
  );
  for (const { code, words } of ended) if (code !== 0) throw new Error(`pg_dump or psql ended with ${code}: ${words}`);
  return (performance.now() - begun) / 1000;
};
