// PostgreSQL 18's own programs on this machine, from the cached root file system.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { rootFileSystem } from "../image/root.ts";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import { openTerminal, type Terminal } from "../terminal/index.ts";
import { programScripts } from "./program-scripts.ts";

const names = ["pg_dump", "pg_dumpall", "pg_restore", "psql"];

/** A folder with pg_dump, pg_dumpall, pg_restore and psql (18.6 or newer) that run on this machine whatever its own libraries are. */
export const pgTools = async (terminal: Terminal = openTerminal({ name: "pg-tools" })): Promise<string> => {
  const root = await rootFileSystem("databases", terminal);
  const key = createHash("sha256")
    .update([root, ...names].join("\n"))
    .digest("hex")
    .slice(0, 16);
  const programs = names.map((name) => [name, join(root, "usr", "lib", "postgresql", "18", "bin", name)]);
  return keep({ folder: join(cacheFolder(), "tools"), name: "postgres", key }, (part) =>
    programScripts(root, part, Object.fromEntries(programs)),
  );
};
