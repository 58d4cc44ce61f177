// PostgreSQL 18's own programs on this machine, from the cached root file system.
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFileSystem } from "../image/root.ts";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import { openTerminal, type Terminal } from "../terminal/index.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A folder with pg_dump, pg_restore and psql (18.6 or newer) that run on this machine whatever its own libraries are. */
export const pgTools = async (terminal: Terminal = openTerminal({ name: "pg-tools" })): Promise<string> => {
  const root = await rootFileSystem("databases", terminal);
  const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return keep({ folder: join(cacheFolder(), "tools"), name: "postgres", key }, async (part) => {
    const libraries = (await readdir(join(root, "usr", "lib"))).filter((name) => name.endsWith("-linux-gnu"));
    const library = join(root, "usr", "lib", libraries[0] ?? "");
    const loader = (await readdir(library)).find((name) => name.startsWith("ld-linux"));
    if (loader === undefined) throw new Error(`no dynamic loader in ${library}`);
    await mkdir(part);
    for (const name of ["pg_dump", "pg_restore", "psql"]) {
      const program = join(root, "usr", "lib", "postgresql", "18", "bin", name);
      const words = [join(library, loader), "--library-path", library, program].map(quoted).join(" ");
      await writeFile(join(part, name), `#!/bin/sh\nexec ${words} "$@"\n`);
      await chmod(join(part, name), 0o755);
    }
  });
};
