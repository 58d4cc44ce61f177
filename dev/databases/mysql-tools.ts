// The mysql clients on this machine, from the cached root file systems.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { rootFileSystem } from "../image/root.ts";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import { openTerminal, type Terminal } from "../terminal/index.ts";
import { kinds } from "./kinds.ts";
import { programScripts } from "./program-scripts.ts";

/** A folder with MySQL's own `mysql`, or MariaDB's, that runs on this machine whatever its own libraries are. */
export const mysqlTools = async (
  kind: "mysql" | "mariadb",
  terminal: Terminal = openTerminal({ name: "mysql-tools" }),
): Promise<string> => {
  const root = await rootFileSystem(kinds[kind].root, terminal);
  const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return keep({ folder: join(cacheFolder(), "tools"), name: kind, key }, (part) =>
    programScripts(root, part, { mysql: join(root, "usr", "bin", kind) }),
  );
};
