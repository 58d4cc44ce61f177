import { engineName } from "../../engine/contract/text/engine-name.ts";
import { readInventory } from "../../engine/postgres/catalogue/inventory.ts";
import { connect, type Session } from "../../engine/postgres/driver/connection.ts";
import { versionText } from "../../engine/postgres/driver/version.ts";
import { checkDumpVersion, dumpVersion } from "../../engine/postgres/dump/dump.ts";
import { leftInSource } from "../../engine/postgres/source/left-in-source.ts";
import { openSource } from "../../engine/postgres/source/source.ts";
import { formatSnapshot } from "../../engine/report/format-snapshot.ts";
import { writePart } from "../parts.ts";
import { withSessions } from "../stoppable.ts";
import type { DumpWork, WrittenPart } from "../work.ts";
import { countPassed, countTableRows, refuseOtherRows } from "./count.ts";
import { dumped } from "./dumped.ts";
import { createRowCounter } from "./row-counter.ts";

/**
 * PostgreSQL: pg_dump's custom format as one part, by a snapshot of ours that is held against TRUNCATE; the rows of each table are
 * counted as they pass.
 */

const dumpPart = "database.dump";
const applicationName = "rowferry backup";

export function writePostgres(work: DumpWork): Promise<WrittenPart> {
  const { source, account, log } = work;
  const login = (signal: AbortSignal) => connect(source, { role: "source", applicationName, signal });
  return withSessions(work.signal, login, async ({ open, signal, stop }) => {
    account.phase("connecting");
    // Beside the connections; theirs is the first error.
    const asked = Promise.allSettled([dumpVersion(process.env)]);
    const first = await open();
    const counter = await open();
    const [found] = await asked;
    if (found.status === "rejected") throw found.reason;
    const version = found.value;
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
      { open, giveUp: stop, log: (message) => log("info", message) },
    );
    log("info", `Snapshot of the source: ${formatSnapshot(opened.facts)}`);
    const tables = opened.tables.filter(({ oid, extension }) => oid !== checkpoint?.oid && extension === undefined);
    account.total({
      // Without indexes, which a dump does not have.
      bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      tables: tables.length,
    });
    account.phase("copying");
    const writing = { ...work.writing, signal };
    const rows = createRowCounter({ tables: new Set(tables.map(({ oid }) => oid)), account });
    const dump = writePart(
      writing,
      { name: dumpPart, holds: "dump" },
      dumped(first, signal, {
        snapshot: opened.snapshot,
        encoding: opened.encoding,
        without: checkpoint === undefined ? [] : [checkpoint.table],
        seen: rows.take,
      }),
    );
    const hashes = work.checksums ? countTableRows(tables, [counter], undefined, "own") : undefined;
    const [part, hashed] = await bothOrNeither(dump, Promise.resolve(hashes), stop);
    const passed = rows.end();
    if (hashed !== undefined) refuseOtherRows(hashed.tables, tables, passed);
    const counted = hashed ?? (await countPassed(tables, passed, counter, account));
    await held.release();
    return {
      source: { product: engineName("postgres"), version: versionText(first.version), database: source.database },
      tools: { pg_dump: String(version) },
      position: opened.facts,
      parts: [part],
      ...counted,
      inventory,
      warnings: [],
    };
  });
}

/** They have no names: their number is one thing. */
export async function largeObjects(session: Session): Promise<{ kind: string; name: string }[]> {
  const [row] = await session.query<{ count: number }>(
    "SELECT pg_catalog.count(*) AS count FROM pg_catalog.pg_largeobject_metadata",
  );
  return row === undefined || row.count === 0 ? [] : [{ kind: "large objects", name: String(row.count) }];
}

/** Both to their end; the first error ends the other. */
async function bothOrNeither<A, B>(a: Promise<A>, b: Promise<B>, stop: (error: unknown) => void): Promise<[A, B]> {
  const end = (error: unknown) => {
    stop(error);
    throw error;
  };
  const [first, second] = await Promise.allSettled([a.catch(end), b.catch(end)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}
