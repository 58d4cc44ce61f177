import { refuseDifferences } from "../checksum/words.ts";
import { type Copied, type CopyHooks, type CopyReport, type CopyRequest, EngineError } from "../contract.ts";
import { requireMemory } from "../memory/check.ts";
import { readCatalogue } from "../mysql/catalogue.ts";
import { readExactLabels } from "../mysql/exact-labels.ts";
import { fenceTableName } from "../mysql/fence-table.ts";
import { withoutCheckpoint } from "../mysql/left-in-source.ts";
import { selected } from "../mysql/selected.ts";
import { openSnapshot } from "../mysql/snapshot.ts";
import { connect } from "../postgres/connection.ts";
import { applicationName, causeOf, openFence } from "../postgres/fence.ts";
import { createProgress } from "../progress.ts";
import { createSelection } from "../selection.ts";
import { createThrottle } from "../throttle.ts";
import { createWatchdog } from "../watchdog.ts";
import { diagnoseMysql } from "../watchdog-mysql.ts";
import { diagnosePostgres } from "../watchdog-postgres.ts";
import { BadText, located } from "./bad-text.ts";
import { refuseTogether, targetSchema, zeroDates } from "./options.ts";
import { copyAll } from "./pass.ts";
import { firstReader, type Run } from "./run.ts";
import { createSessions } from "./sessions.ts";

/**
 * MySQL or MariaDB → PostgreSQL. Reads one state of the source by several sessions, turns row packets into COPY text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export async function convert(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const startedAt = new Date().toISOString();
  // The first failure is the reason by which everything else ends, in order; the caller hears of that one.
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const progress = createProgress(hooks.progress);
  progress.phase("connecting");
  const { options } = request;
  const { database } = request.source;
  const selection = createSelection(options);
  const has = (table: string) => selection.has(database, table);
  refuseTogether(options);
  const zero = zeroDates(options);
  const schema = targetSchema(options, database);
  const snapshot = await openSnapshot(request.source, options.jobs, "rowferry", signal, (error) => stop.abort(error), {
    locks: options.source_locks,
    patience: options.blocking_timeout,
    statementTimeout: options.statement_timeout,
    has: (table) => table !== fenceTableName && has(table),
    log: (message) => hooks.log("info", message),
  });
  try {
    const reader = firstReader(snapshot);
    const { definitions } = snapshot;
    await requireMemory({ engine: "mysql", session: definitions }, "postgres", options);
    const found = await readCatalogue(definitions, database, has, reader);
    const { whole, left } = await withoutCheckpoint(reader, database, found, has);
    const { catalogue, excluded } = selected(whole, database, selection);
    await readExactLabels(reader, database, catalogue.tables);
    const size = catalogue.tables.reduce((sum, table) => sum + table.dataBytes + table.indexBytes, 0);
    hooks.measured(size, "conversion");
    const fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      warn: (message) => hooks.log("warning", message),
    });
    const finish = async () => {
      await fence.drop();
      await fence.close();
    };
    try {
      const saved = request.reset ? undefined : await fence.savedResult();
      if (saved !== undefined) {
        hooks.log("info", "the copy was finished and verified by an earlier worker");
        return { report: saved, finish };
      }
      const open = async () => {
        const session = await connect(request.target, {
          role: "target",
          applicationName: applicationName(request.owner, fence.epoch),
          signal,
        });
        const limit = Math.ceil((options.statement_timeout ?? 0) * 1000);
        if (limit > 0) await session.run(`SET statement_timeout = ${limit}`);
        return session;
      };
      const sessions = createSessions(open, request.options.jobs);
      const watchdog = createWatchdog({
        progress: () => progress.moved,
        diagnose: [
          diagnoseMysql(request.source, {
            role: "source",
            threads: () => snapshot.readers.map(({ threadId }) => threadId),
          }),
          diagnosePostgres(request.target, {
            role: "target",
            applicationName: () => applicationName(request.owner, fence.epoch),
          }),
        ],
        stallSeconds: options.stall_timeout,
        fail: (error) => stop.abort(error),
        now: () => performance.now(),
      });
      try {
        const throttle = createThrottle(options.bandwidth, { now: () => performance.now(), signal });
        const run: Run = {
          request,
          hooks,
          progress,
          snapshot,
          catalogue,
          excluded: [...left, ...excluded],
          fence,
          open,
          sessions,
          stop,
          throttle,
          zero,
          schema,
          signal,
        };
        const done = await copyAll(run);
        const { maria, versionText } = reader.server;
        const report: CopyReport = {
          type: "conversion",
          source: { engine: maria ? "mariadb" : "mysql", version: versionText },
          target: { engine: "postgres", version: done.target.versionText },
          started_at: startedAt,
          finished_at: new Date().toISOString(),
          size,
          snapshot: snapshot.facts,
          tables: done.tables,
          inventory: done.inventory,
          warnings: done.warnings,
          made: await fence.made(),
          ...(done.verification === undefined ? {} : { verification: done.verification }),
          ...(done.resumed === undefined ? {} : { resumed: done.resumed }),
        };
        refuseDifferences(report);
        await fence.saveResult(report);
        progress.phase("finished");
        return { report, finish };
      } catch (error) {
        hooks.signal.throwIfAborted();
        if (!stop.signal.aborted) stop.abort(error);
        const { reason } = stop.signal as { reason: unknown };
        if (reason instanceof EngineError && reason.code === "stalled") throw reason;
        if (reason instanceof BadText) throw await located(reason, request.source, catalogue, hooks.signal);
        // What stopped the others is the cause; what they then say of their sessions is not.
        throw await causeOf(reason, request, fence);
      } finally {
        watchdog.stop();
        await sessions.close();
      }
    } finally {
      await fence.close();
    }
  } finally {
    await snapshot.close();
  }
}
