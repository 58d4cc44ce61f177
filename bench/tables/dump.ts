// The schema alone by the server's own program, for comparison.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../dev/databases/index.ts";
import { rootFileSystem } from "../../dev/image/root.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { engineOf } from "../servers.ts";
import { watchMemory } from "./memory.ts";

/** `mysqldump` of the root file system in which the servers are, on this machine. */
const mysqldump = async (terminal: Terminal): Promise<string[]> => {
  const root = await rootFileSystem("databases", terminal);
  const libraries = (await readdir(join(root, "usr", "lib"))).filter((name) => name.endsWith("-linux-gnu"));
  const library = join(root, "usr", "lib", libraries[0] ?? "");
  const loader = (await readdir(library)).find((name) => name.startsWith("ld-linux"));
  if (loader === undefined) throw new Error(`no dynamic loader in ${library}`);
  return [join(library, loader), "--library-path", library, join(root, "usr", "bin", "mysqldump")];
};

/** `pg_dump -s` or `mysqldump -d` of one database into /dev/null. Errors: its last words. */
export const dumpSchema = async (
  server: Database,
  database: string,
  pgBin: string,
  terminal: Terminal,
): Promise<{ seconds: number; peakMib: number }> => {
  const { port, password } = server;
  const [command = "", ...args] =
    engineOf(server) === "postgres"
      ? [join(pgBin, "pg_dump"), "-s", server.urlOf(database, "admin")]
      : [
          ...(await mysqldump(terminal)),
          ...["--no-defaults", "-h127.0.0.1", `-P${port}`, "-uroot", `-p${password}`, "--no-data"],
          ...["--column-statistics=0", "--set-gtid-purged=OFF", "--no-tablespaces", database],
        ];
  const begun = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (said: string) => {
    words = (words + said).slice(-1000);
  });
  const memory = watchMemory(child.pid ?? 0);
  const [code] = (await once(child, "close")) as [number | null];
  const peakMib = memory.end();
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${words}`);
  return { seconds: (performance.now() - begun) / 1000, peakMib };
};
