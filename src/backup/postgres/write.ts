import { connect, type Session } from "../../engine/postgres/connection.ts";
import { reading } from "../../engine/postgres/holding.ts";
import { readInventory } from "../../engine/postgres/inventory.ts";
import { leftInSource } from "../../engine/postgres/left-in-source.ts";
import { qualified } from "../../engine/postgres/names.ts";
import { openSource, type Table } from "../../engine/postgres/source.ts";
import { versionText } from "../../engine/postgres/version.ts";
import { checkDumpVersion, dumpVersion, runDump } from "../../engine/postgres-to-postgres/dump.ts";
import { snapshotWords } from "../../engine/report/snapshot-words.ts";
import { type Task, workOff } from "../../engine/run/work.ts";
import { fullName } from "../../engine/text/full-name.ts";
import { writePart } from "../parts.ts";
import type { Work, Written } from "../work.ts";

/**
 * PostgreSQL: pg_dump's custom format as one part, by a snapshot of ours that is held against TRUNCATE; the rows of each table are
 * counted in the same snapshot meanwhile.
 */

export const dumpPart = "database.dump";
const applicationName = "rowferry backup";

export async function writePostgres(work: Work): Promise<Written> {
  const { source, account, log } = work;
  const failed = new AbortController();
  const signal = AbortSignal.any([work.signal, failed.signal]);
  const sessions: Session[] = [];
  const open = async () => {
    const session = await connect(source, { role: "source", applicationName, signal });
    sessions.push(session);
    return session;
  };
  try {
    account.phase("connecting");
    const first = await open();
    const counter = await open();
    const version = await dumpVersion(process.env);
    checkDumpVersion(version, first, first);
    const checkpoint = await leftInSource(first);
    const {
      source: opened,
      found: inventory,
      held,
    } = await openSource(
      first,
      [counter],
      async () => [
        ...(await readInventory(first, checkpoint?.parts ?? new Set())).map(({ kind, name }) => ({ kind, name })),
        ...(await largeObjects(first)),
      ],
      { open, giveUp: (error) => failed.abort(error), log: (message) => log("info", message) },
    );
    log("info", `Snapshot of the source: ${snapshotWords(opened.facts)}`);
    const tables = opened.tables.filter(({ oid, extension }) => oid !== checkpoint?.oid && extension === undefined);
    account.total({
      bytes: opened.size,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      tables: tables.length,
    });
    account.phase("copying");
    const writing = { ...work.writing, signal };
    const dump = writePart(
      writing,
      { name: dumpPart, holds: "dump" },
      dumped(first, signal, {
        snapshot: opened.snapshot,
        encoding: opened.encoding,
        without: checkpoint === undefined ? [] : [checkpoint.table],
      }),
    );
    const counts = count(tables, [counter], account);
    const [part, counted] = await bothOrNeither(dump, counts, failed);
    await held.release();
    return {
      source: { product: "PostgreSQL", version: versionText(first.version), database: source.database },
      tools: { pg_dump: String(version) },
      position: opened.facts,
      parts: [part],
      tables: counted,
      inventory,
      warnings: [],
    };
  } catch (error) {
    work.signal.throwIfAborted();
    throw failed.signal.aborted ? failed.signal.reason : error;
  } finally {
    failed.abort();
    await Promise.all(sessions.map((session) => session.end()));
  }
}

/** They have no names: their number is one thing. */
export async function largeObjects(session: Session): Promise<{ kind: string; name: string }[]> {
  const [row] = await session.query<{ count: number }>(
    "SELECT pg_catalog.count(*) AS count FROM pg_catalog.pg_largeobject_metadata",
  );
  return row === undefined || row.count === 0 ? [] : [{ kind: "large objects", name: String(row.count) }];
}

/** pg_dump's output as it comes; the program waits while nobody takes the next piece. */
async function* dumped(
  session: Session,
  signal: AbortSignal,
  { snapshot, encoding, without }: { snapshot: string; encoding: string; without: string[] },
): AsyncGenerator<Buffer> {
  let next = Promise.withResolvers<Buffer | undefined>();
  let taken = Promise.withResolvers<void>();
  const stop = new AbortController();
  // Bytes of SQL_ASCII are of no encoding that could be converted.
  const args = encoding === "SQL_ASCII" ? [] : ["--encoding=UTF8"];
  const options = {
    snapshot,
    applicationName,
    without,
    env: process.env,
    signal: AbortSignal.any([signal, stop.signal]),
  };
  const ended = runDump(session, args, options, async (chunk) => {
    next.resolve(chunk);
    await taken.promise;
  }).then(
    () => next.resolve(undefined),
    (error: unknown) => next.reject(error),
  );
  try {
    for (;;) {
      const chunk = await next.promise;
      if (chunk === undefined) return;
      next = Promise.withResolvers();
      yield chunk;
      const before = taken;
      taken = Promise.withResolvers();
      before.resolve();
    }
  } finally {
    stop.abort();
    taken.resolve();
    next.promise.catch(() => undefined);
    await ended;
  }
}

/** Rows of each table in the snapshot. */
export async function count(
  tables: readonly Table[],
  sessions: readonly Session[],
  account: Work["account"],
): Promise<{ name: string; rows: number }[]> {
  const counted: { name: string; rows: number }[] = [];
  const tasks = tables.map(
    (table): Task<Session> => ({
      weight: table.bytes,
      async run(session) {
        const rows = await reading(session, [table], async (reader) => {
          const [row] = await reader.query<{ rows: number }>(
            `SELECT pg_catalog.count(*) AS rows FROM ONLY ${qualified(table.schema, table.name)}`,
          );
          return row?.rows ?? Number.NaN;
        });
        counted.push({ name: fullName(table.schema, table.name), rows });
        account.rows(rows);
        account.table();
        return [];
      },
    }),
  );
  await workOff(sessions, tasks, () => undefined);
  return counted.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Both to their end; the first error ends the other. */
async function bothOrNeither<A, B>(a: Promise<A>, b: Promise<B>, failed: AbortController): Promise<[A, B]> {
  const end = (error: unknown) => {
    failed.abort(error);
    throw error;
  };
  const [first, second] = await Promise.allSettled([a.catch(end), b.catch(end)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}
