import { leftCheckpoint } from "../checkpoint.ts";
import { EngineError } from "../contract.ts";
import type { Session } from "../postgres/connection.ts";
import { fenceTableName, findAlike, partsOf } from "../postgres/fence-table.ts";
import { isSameDatabase } from "../postgres/same.ts";
import { printable } from "../text/printable.ts";
import { checkDumpVersion, dumpVersion } from "./dump.ts";

/** What is looked at before anything is opened or written: versions, pg_dump, that there are two databases. */

/** Answers the source's size in bytes. Errors: `same_database`, `unsupported_version`, those of dump.ts. */
export async function checkServers(source: Session, target: Session): Promise<number> {
  const [found, same] = await Promise.all([dumpVersion(process.env), isSameDatabase(source, target)]);
  if (same) throw new EngineError("same_database", "source and target are the same database: name two different ones");
  for (const { version, place } of [source, target]) {
    if (version >= oldest) continue;
    throw new EngineError(
      "unsupported_version",
      `the ${place.role} is PostgreSQL ${versionText(version)}: 12 is the oldest that can be copied`,
    );
  }
  checkDumpVersion(found, source, target);
  await leftInSource(source);
  const [row] = await source.query<{ size: number }>(
    "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
  );
  return row?.size ?? 0;
}

/** A fence left in the source by a copy into it, which may still be running. Errors: `reserved_name` when the table is a user's. */
export async function leftInSource(source: Session) {
  const alike = await findAlike(source);
  const other = alike.find((table) => !table.alike) ?? alike[1];
  if (other !== undefined)
    throw new EngineError(
      "reserved_name",
      `the source database has a table ${other.table} of its own: Rowferry keeps its checkpoint in the target under that name; rename the source's table and run again`,
    );
  const [found] = alike;
  if (found === undefined) return undefined;
  const entry = leftCheckpoint(printable(`${found.schema}.${fenceTableName}`));
  return { ...found, parts: await partsOf(source, found), entry };
}

/** server_version_num of the oldest PostgreSQL whose catalogues are read as they are written here. */
const oldest = 120_000;

/** 150018 → 15.18 */
export const versionText = (version: number) => `${Math.floor(version / 10_000)}.${version % 10_000}`;
