// The schema alone by pg_dump, for comparison.
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
