import { printable } from "../engine/contract/text/printable.ts";
import { reportLockWaits } from "../engine/run/watchdog/lock-waits.ts";
import { counted } from "../guard/text.ts";
import { createBackupAccount } from "./account.ts";
import { checkArchive } from "./check.ts";
import type { RestoreRequest, RestoreResult } from "./contract.ts";
import type { Manifest } from "./manifest-schema.ts";
import { unpackMysql } from "./mysql/unpack.ts";
import { unpackPostgres } from "./postgres/unpack.ts";
import { notMade, refuseOther, someNames } from "./target.ts";
import type { Unpacked, Unpacking } from "./work.ts";

/** One restore: the archive is checked completely before the target is written, and the target is compared with the manifest after it. */

const usualJobs = 2;
const mostDifferences = 100;
const mostWarnings = 20;
const longestWarning = 500;

/** Errors: BackupError, EngineError; the signal's reason when it was aborted. */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreResult> {
  try {
    return await reportLockWaits(request.log, () => restored(request));
  } catch (error) {
    request.signal.throwIfAborted();
    throw error;
  }
}

async function restored(request: RestoreRequest): Promise<RestoreResult> {
  const { target, signal } = request;
  // Names come from the archive, which anybody may have made.
  const log: RestoreRequest["log"] = (level, message) => request.log(level, printable(message));
  const account = createBackupAccount(request.progress);
  account.phase("checking");
  const { manifest, reading } = await checkArchive(request, (bytes) => account.moved(0, bytes));
  const known = request.expect?.manifestDigest === undefined ? "" : ", which has the digest that was given";
  log("info", `The ${manifest.parts.length} parts of run ${manifest.run.id} are those of its manifest${known}`);
  refuseOther(nameOf[manifest.engine], nameOf[target.engine]);
  account.total({
    bytes: manifest.parts.reduce((sum, { plain }) => sum + plain, 0),
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    tables: manifest.tables.length,
  });
  const unpacked = await unpack({
    ...{ target, signal, log, manifest, reading, account },
    jobs: request.jobs ?? usualJobs,
    allowNotEmpty: request.allowNotEmpty ?? false,
    attempt: request.attempt,
    moved: (plain) => account.moved(plain, 0),
  });
  // What the backup's user could not see is a cause of what a restore cannot make.
  const backupWarnings = manifest.warnings.slice(0, mostWarnings).map((one) => printable(one.slice(0, longestWarning)));
  for (const warning of backupWarnings) log("warning", `when the backup was taken: ${warning}`);
  const differences = compareWithManifest(manifest, unpacked);
  const { equal: checksummed, left } = checksumsOf(manifest, unpacked);
  if (left.length > 0)
    unpacked.warnings.push(
      `the rows of ${counted(left.length, "table")} were counted, and not compared by checksum, because this server computes another one: ${someNames(left)}`,
    );
  account.phase("finished");
  const rows = unpacked.tables.reduce((sum, table) => sum + table.rows, 0);
  const how = checksummed === 0 ? "" : `; the rows of ${counted(checksummed, "table")} have the same checksum`;
  if (differences.length === 0)
    log(
      "info",
      `Verified: ${counted(rows, "row")} in ${counted(unpacked.tables.length, "table")}, as in the manifest${how}`,
    );
  else log("error", `The target differs from the manifest: ${differences[0]}`);
  return {
    ...{ tables: unpacked.tables.length, rows, equal: differences.length === 0, checksummed },
    differences: differences.slice(0, mostDifferences),
    warnings: unpacked.warnings,
    backupWarnings,
  };
}

const unpack = (work: Unpacking): Promise<Unpacked> =>
  work.target.engine === "mysql" ? unpackMysql(work) : unpackPostgres(work);

const nameOf = { mysql: "MySQL or MariaDB", postgres: "PostgreSQL" };

/** The target against the manifest, in words. What the target has besides is its own. Pure. */
function compareWithManifest(manifest: Manifest, { tables, inventory, warnings }: Unpacked): string[] {
  const rows = new Map(tables.map((table) => [table.name, table.rows]));
  const { unequal } = checksumsOf(manifest, { tables });
  const there = new Set(inventory.map(({ kind, name }) => `${kind} ${name}`));
  return [
    ...manifest.tables.flatMap((table) => {
      const found = rows.get(table.name);
      if (found === table.rows) return [];
      return [`table ${table.name} has ${found ?? "no"} rows instead of ${table.rows}`];
    }),
    ...unequal.map((name) => `table ${name} has other rows than the backup: their checksum differs`),
    ...manifest.inventory.flatMap(({ kind, name }) =>
      there.has(`${kind} ${name}`) ? [] : [`${kind} ${name} is missing${whyNotMade(`${kind} ${name}`, warnings)}`],
    ),
  ];
}

/** The server's words, where the object was tried. */
function whyNotMade(object: string, warnings: readonly string[]): string {
  const start = `${printable(object)}${notMade}`;
  const found = warnings.find((one) => one.startsWith(start));
  return found === undefined ? "" : `: ${found.slice(start.length)}`;
}

/** Tables with as many rows as in the manifest, by what their checksums say; `left`: sums of two forms say nothing. Pure. */
function checksumsOf(manifest: Manifest, { tables }: Pick<Unpacked, "tables">) {
  const found = new Map(tables.map((table) => [table.name, table]));
  const unequal: string[] = [];
  const left: string[] = [];
  let equal = 0;
  for (const { name, rows, checksum } of manifest.tables) {
    const other = found.get(name);
    if (checksum === undefined || other?.rows !== rows) continue;
    if (other.checksum?.form !== checksum.form) left.push(name);
    else if (other.checksum.sum === checksum.sum) equal++;
    else unequal.push(name);
  }
  return { equal, unequal, left };
}
