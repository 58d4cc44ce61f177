// PostgreSQL's client programs for pods: a server is only dumped by a pg_dump that is not older, and a machine's own often is.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunOptions } from "../../terminal/run.ts";
import { hasApt, unpackPackages } from "./packages.ts";

const major = 18;
const programs = ["pg_dump", "pg_dumpall", "pg_restore", "psql"];

/** apt's words, which are English where LC_ALL says so. */
export const isUnknownPackage = ({ message }: Error): boolean =>
  /Unable to locate package|has no installation candidate/.test(message);

/**
 * Makes PostgreSQL 18's programs in `<image>/bin`, with what they need below `<image>/pg`. Returns false, and adds nothing, where this machine's
 * apt has no such package or there is no apt: then pods find the programs that are on PATH.
 */
export const addPostgresTools = async (image: string, options: RunOptions): Promise<boolean> => {
  if (!hasApt()) return false;
  const found = await unpackPackages(image, "pg", [`postgresql-client-${major}`], options).catch((error: Error) => {
    if (isUnknownPackage(error)) return undefined;
    throw error;
  });
  if (found === undefined) return false;
  const library = `"$here/pg/${found.library}"`;
  for (const name of programs)
    await writeFile(
      join(image, "bin", name),
      // By the script's own name, so that pg_dumpall finds the script of pg_dump beside it.
      `#!/bin/sh
here=$(dirname "$0")/..
exec ${library}/${found.loader} --argv0 "$0" --library-path ${library} "$here/pg/usr/lib/postgresql/${major}/bin/${name}" "$@"
`,
      { mode: 0o755 },
    );
  return true;
};
