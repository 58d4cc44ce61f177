import { refuseDifferences } from "../checksum/words.ts";
import { type Copied, type CopyHooks, type CopyReport, type CopyRequest, EngineError } from "../contract.ts";
import { requireMemory } from "../memory/check.ts";
import { markAlikeLabels } from "../mysql/alike-labels.ts";
import { readCatalogue } from "../mysql/catalogue.ts";
import { readExactLabels } from "../mysql/exact-labels.ts";
import { causeOf, openFence } from "../mysql/fence.ts";
import { fenceTableName } from "../mysql/fence-table.ts";
import { withoutCheckpoint } from "../mysql/left-in-source.ts";
import { refuseSameDatabase } from "../mysql/same.ts";
import { selected } from "../mysql/selected.ts";
import type { Session } from "../mysql/session.ts";
import { openSnapshot } from "../mysql/snapshot.ts";
import { named } from "../named.ts";
import { createProgress } from "../progress.ts";
import { createSelection } from "../selection.ts";
import { createThrottle } from "../throttle.ts";
import { createWatchdog } from "../watchdog.ts";
import { diagnoseMysql } from "../watchdog-mysql.ts";
import { copyAll } from "./pass.ts";

/**
 * MySQL or MariaDB → MySQL or MariaDB. Reads one state of the source by several sessions, turns row packets into LOAD DATA
 * text as bytes, builds indexes as soon as a table's rows are there, and compares both sides before it says done.
 */
export async function transferMysql(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const startedAt = new Date().toISOString();
  // The first failure is the reason by which everything else ends, in order; the caller hears of that one.
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const account = createProgress(hooks.progress);
  account.phase("connecting");
  const { options } = request;
  const { database } = request.source;
  const prefix = prefixOf(options.schemas ?? {}, database);
  const selection = createSelection(options);
  const has = (table: string) => selection.has(database, table);
  const snapshot = await openSnapshot(request.source, options.jobs, "rowferry", signal, (error) => stop.abort(error), {
    locks: options.source_locks,
    patience: options.blocking_timeout,
    statementTimeout: options.statement_timeout,
    has: (table) => table !== fenceTableName && has(table),
    log: (message) => hooks.log("info", message),
  });
  try {
    const [reader] = snapshot.readers;
    if (reader === undefined) throw new EngineError("database_error", "no session on the source was opened");
    await refuseSameDatabase(reader, request.target, signal);
    const { definitions } = snapshot;
    await requireMemory({ engine: "mysql", session: definitions }, "mysql", options);
    const found = await readCatalogue(definitions, database, has, reader);
    const { whole, left } = await withoutCheckpoint(reader, database, found, has);
    const { catalogue, excluded } = selected(whole, database, selection);
    await readExactLabels(reader, database, catalogue.tables);
    await markAlikeLabels(reader, catalogue.tables);
    const size = catalogue.tables.reduce((sum, table) => sum + table.dataBytes + table.indexBytes, 0);
    hooks.measured(size, "transfer");
    const fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      statementTimeout: options.statement_timeout,
      warn: (message) => hooks.log("warning", message),
    });
    const finish = async () => {
      await fence.drop();
      await fence.close();
    };
    const writers: Session[] = [];
    const watchdog = createWatchdog({
      progress: () => account.moved,
      diagnose: [
        diagnoseMysql(request.source, {
          role: "source",
          threads: () => snapshot.readers.map(({ threadId }) => threadId),
        }),
        diagnoseMysql(request.target, { role: "target", threads: () => writers.map(({ threadId }) => threadId) }),
      ],
      stallSeconds: options.stall_timeout,
      fail: (error) => stop.abort(error),
      now: () => performance.now(),
    });
    const cut = () => {
      for (const writer of writers) writer.destroy();
    };
    stop.signal.addEventListener("abort", cut, { once: true });
    try {
      const saved = request.reset ? undefined : await fence.savedResult();
      if (saved !== undefined) {
        hooks.log("info", "the copy was finished and verified by an earlier worker");
        return { report: saved, finish };
      }
      for (const _ of snapshot.readers) writers.push(await fence.open());
      const done = await copyAll({
        request,
        hooks,
        progress: account,
        snapshot,
        catalogue,
        excluded: [...left, ...excluded],
        fence,
        writers,
        prefix,
        throttle: createThrottle(options.bandwidth, { now: () => performance.now(), signal }),
        signal,
        failed: (error) => stop.abort(error),
      });
      const flavour = ({ server }: Session) => ({
        engine: server.maria ? "mariadb" : "mysql",
        version: server.versionText,
      });
      const report: CopyReport = {
        type: "transfer",
        source: flavour(reader),
        target: flavour(writers[0] as Session),
        started_at: startedAt,
        finished_at: new Date().toISOString(),
        size,
        snapshot: snapshot.facts,
        ...done,
        // Rows that were put into tables of others are not ours to take out again.
        made: (await fence.made()).filter(({ kind }) => kind !== "rows"),
      };
      refuseDifferences(report);
      await fence.saveResult(report);
      account.phase("finished");
      return { report, finish };
    } catch (error) {
      hooks.signal.throwIfAborted();
      if (!stop.signal.aborted) stop.abort(error);
      // What stopped the others is the cause; what they then say of their sessions is not.
      throw await causeOf(stop.signal.reason, request.target, fence);
    } finally {
      watchdog.stop();
      await Promise.all(writers.map((writer) => writer.end()));
      await fence.close();
    }
  } finally {
    await snapshot.close();
  }
}

/** Errors: `option_unmatched` for a database that is not copied. */
function prefixOf(schemas: Readonly<Record<string, string>>, database: string): string {
  const other = Object.keys(schemas).find((name) => name !== database);
  if (other !== undefined)
    throw new EngineError(
      "option_unmatched",
      `options.schemas names the database ${JSON.stringify(other)}, but the one that is copied is ${JSON.stringify(database)}`,
    );
  return named(schemas, database) ?? "";
}
