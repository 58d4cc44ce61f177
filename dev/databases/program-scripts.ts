import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Makes `folder` with a script for each program of the root file system, which runs it with the libraries from there. */
export async function programScripts(root: string, folder: string, programs: Record<string, string>): Promise<void> {
  const libraries = (await readdir(join(root, "usr", "lib"))).filter((name) => name.endsWith("-linux-gnu"));
  const library = join(root, "usr", "lib", libraries[0] ?? "");
  const loader = (await readdir(library)).find((name) => name.startsWith("ld-linux"));
  if (loader === undefined) throw new Error(`no dynamic loader in ${library}`);
  await mkdir(folder);
  for (const [name, program] of Object.entries(programs)) {
    // By the script's own name, so that pg_dumpall finds the script of pg_dump beside it.
    const words = ["--library-path", library, program].map(quoted).join(" ");
    await writeFile(
      join(folder, name),
      `#!/bin/sh\nexec ${quoted(join(library, loader))} --argv0 "$0" ${words} "$@"\n`,
    );
    await chmod(join(folder, name), 0o755);
  }
}
