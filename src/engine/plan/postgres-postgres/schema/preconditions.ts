import { EngineError } from "../../../contract/index.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { oldest, versionText } from "../../../postgres/driver/version.ts";
import { checkDumpVersion, dumpVersion } from "../../../postgres/dump/dump.ts";
import { isSameDatabase } from "../../../postgres/fence/same-database.ts";
import { leftInSource } from "../../../postgres/source/left-in-source.ts";

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
