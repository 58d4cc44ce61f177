import { engineName, mysqlEngine } from "../../engine/contract/text/engine-name.ts";
import { printable } from "../../engine/contract/text/printable.ts";
import { readCatalogue } from "../../engine/mysql/catalogue/catalogue.ts";
import { qualified } from "../../engine/mysql/driver/names.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { connectTarget } from "../../engine/mysql/driver/write-session.ts";
import { type Task, workOff } from "../../engine/run/pool.ts";
import { createWarnings } from "../../engine/run/warnings.ts";
import { counted } from "../../guard/text.ts";
import { beginAttempt, endAttempt } from "../attempts.ts";
import { BackupError } from "../contract.ts";
import { partsHolding } from "../manifest.ts";
import type { ArchivePart } from "../manifest-schema.ts";
import { readPart } from "../parts.ts";
import { withSessions } from "../stoppable.ts";
import { refuseNotEmpty, refuseOther, someNames } from "../target.ts";
import type { Unpacked, Unpacking } from "../work.ts";
import { type Apply, createApply } from "./apply.ts";
import { createChecksums } from "./checksums.ts";
import { databaseInventory } from "./inventory.ts";
import { markedTarget } from "./marked-target.ts";
import { statementsOf } from "./sql-file.ts";

/**
 * Restores an archive statement by statement, each under the rights of the target's URL. The files are never given to the mysql client,
 * which has commands of its own.
 */

const program = "rowferry restore";

export function unpackMysql(work: Unpacking): Promise<Unpacked> {
  const { target, manifest, account, log, jobs } = work;
  const { said, warn } = createWarnings({ log });
  const connect = (signal: AbortSignal) => connectTarget(target, { program, signal });
  return withSessions(work.signal, connect, async ({ open, signal, stop }) => {
    account.phase("connecting");
    const main = await open();
    refuseOther(printable(manifest.source.product), engineName(mysqlEngine(main.server)));
    const marked = markedTarget(main, target.database);
    const before = await beginAttempt(marked, work);
    await refuseNotEmpty(work, databaseInventory(before));
    await refuseLongStatements(main, work);
    const workers = [main];
    while (workers.length < jobs) workers.push(await open());
    account.phase("copying");
    log("info", `Restoring ${counted(manifest.tables.length, "table")} into ${printable(target.database)}`);
    const apply = await createApply(main, { database: target.database, warn, isFilled: before.tables.length > 0 });
    const run = (session: Session, part: ArchivePart) =>
      runPart({ ...work, reading: { ...work.reading, signal } }, apply, session, part);
    for (const part of partsHolding(manifest, "schema")) await run(main, part);
    const tasks = partsHolding(manifest, "rows").map(
      (part): Task<Session> => ({
        weight: part.plain,
        run: (session) => run(session, part),
      }),
    );
    await workOff(workers, tasks, stop);
    for (const part of partsHolding(manifest, "finish")) await run(main, part);
    account.phase("verifying");
    // As after the login: the files have settings of their own.
    const verifier = await open();
    const after = await readCatalogue(verifier, target.database);
    const wanted = new Map(manifest.tables.map(({ name }) => [name, true]));
    const tables: Unpacked["tables"] = [];
    const restored = after.tables.filter(({ name }) => wanted.has(name));
    const { checksums: method } = manifest;
    const checksums = method && (await createChecksums(verifier, target.database, restored, method));
    for (const { name, versioned } of restored) {
      const found = await checksums?.read(verifier, name);
      const rows =
        found === undefined || versioned ? await countRows(verifier, target.database, name, versioned) : found.rows;
      tables.push({ name, rows, ...(found?.checksum && { checksum: found.checksum }) });
      account.rows(rows);
      account.table();
    }
    await endAttempt(marked, work);
    return { tables, inventory: databaseInventory(after), warnings: [...said] };
  });
}

async function countRows(session: Session, database: string, name: string, versioned: boolean): Promise<number> {
  const from = `${qualified(database, name)}${versioned ? " FOR SYSTEM_TIME ALL" : ""}`;
  const [[count] = []] = await session.query(`SELECT COUNT(*) FROM ${from}`);
  return Number(count);
}

/** Of max_allowed_packet: the packet around a statement. */
const spareBytes = 1024;

/** Before anything is written. Errors: `row_too_large`. */
async function refuseLongStatements(session: Session, { manifest }: Unpacking): Promise<void> {
  const [[limit] = []] = await session.query("SELECT @@max_allowed_packet");
  const found = manifest.parts.filter(({ longest = 0 }) => longest + spareBytes > Number(limit));
  if (found.length === 0) return;
  const longest = found.reduce((most, part) => Math.max(most, part.longest ?? 0), 0);
  const tables = found.flatMap(({ table }) => (table === undefined ? [] : [printable(table)]));
  const which = tables.length > 0 ? ` (table ${someNames([...new Set(tables)])})` : "";
  throw new BackupError(
    "row_too_large",
    `the backup has a statement of ${longest} bytes${which}, and the target takes no more than ${limit} (max_allowed_packet): set max_allowed_packet there to at least ${longest + spareBytes} and restore again; nothing was written`,
  );
}

async function runPart(work: Unpacking, apply: Apply, session: Session, part: ArchivePart): Promise<void> {
  const pieces = readPart(work.reading, part, work.moved);
  let affected = 0;
  let warned = 0;
  for await (const statement of statementsOf(pieces, part.longest ?? 0)) {
    if (part.holds !== "rows") await apply.define(session, statement.toString());
    else {
      const done = await apply.insert(session, statement, part);
      affected += done.affected;
      warned += done.warnings;
    }
  }
  if (part.holds !== "rows") return;
  if (affected !== part.rows || warned > (part.tolerated?.warnings ?? 0))
    throw new BackupError(
      "data_refused",
      `part ${part.name}: the target took ${affected} of ${part.rows} rows, with ${warned} warnings`,
    );
}
