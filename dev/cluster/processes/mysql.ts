// mysqld for an account without root, from packages: no package of npm has one inside.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../../terminal/failure.ts";
import { type RunOptions, run } from "../../terminal/run.ts";
import { hasApt, unpackPackages } from "./packages.ts";

/** Runs mysqld by the loader and libraries that came with it, whatever this machine's are. */
export const mysqldScript = (root: string, library: string, loader: string): string => `#!/bin/sh
# --no-defaults must come first.
defaults=$1
shift
here=$(dirname "$0")/..
exec "$here/${root}/${library}/${loader}" --library-path "$here/${root}/${library}:$here/${root}/${library}/mysql/private" \\
  "$here/${root}/usr/sbin/mysqld" "$defaults" --basedir="$here/${root}/usr" --lc-messages-dir="$here/${root}/usr/share/mysql" \\
  --character-sets-dir="$here/${root}/usr/share/mysql/charsets" --plugin-dir="$here/${root}/usr/lib/mysql/plugin" "$@"
`;

/**
 * Makes `<image>/bin/mysqld` with what it needs below `<image>/mysql`. Needs apt-get and dpkg-deb, and no right: throws an error that says
 * what to do elsewhere.
 */
export const addMysql = async (image: string, options: RunOptions): Promise<void> => {
  const bin = join(image, "bin");
  if (!hasApt()) {
    const found = await run("sh", ["-c", "command -v mysqld"], options).catch(() => undefined);
    if (found === undefined)
      throw failure(
        "`mysqld` is not on PATH.",
        "Install MySQL (on macOS: `brew install mysql`) or Docker, then run the command again.",
      );
    await writeFile(join(bin, "mysqld"), `#!/bin/sh\nexec '${found.stdout.trim()}' "$@"\n`, { mode: 0o755 });
    return;
  }
  const names = ["mysql-server-core", "mysql-server-core-8.4", "mysql-server-core-8.0"];
  const { library, loader } = await unpackPackages(image, "mysql", names, options);
  await writeFile(join(bin, "mysqld"), mysqldScript("mysql", library, loader), { mode: 0o755 });
};
