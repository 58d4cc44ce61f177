import { refuseDifferences } from "../checksum/words.ts";
import type { Copied, CopyHooks, CopyReport, CopyRequest } from "../contract.ts";
import { requireMemory } from "../memory/check.ts";
import { causeOf, openFence } from "../mysql/fence.ts";
import type { Session as Writer } from "../mysql/session.ts";
import { connect, type Session as Reader } from "../postgres/connection.ts";
import { applicationName } from "../postgres/fence.ts";
import { leftInSource } from "../postgres/left-in-source.ts";
import { versionText } from "../postgres/version.ts";
import { createProgress } from "../progress.ts";
import { createThrottle } from "../throttle.ts";
import { createWatchdog } from "../watchdog.ts";
import { diagnoseMysql } from "../watchdog-mysql.ts";
import { diagnosePostgres } from "../watchdog-postgres.ts";
import { copyAll } from "./pass.ts";

/**
 * PostgreSQL → MySQL or MariaDB. Reads one snapshot of the source by several sessions, turns COPY text into LOAD DATA text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export async function convertToMysql(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const startedAt = new Date().toISOString();
  // The first failure is the reason by which everything else ends, in order; the caller hears of that one.
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const progress = createProgress(hooks.progress);
  const { options } = request;
  const sources: Reader[] = [];
  const targets: Writer[] = [];
  const program = applicationName(request.owner, 0);
  const openReader = async () => {
    const session = await connect(request.source, {
      role: "source",
      applicationName: program,
      signal,
      statementSeconds: options.statement_timeout ?? 0,
    });
    sources.push(session);
    // Compiling would take longer than the catalogue's queries, whose cost is guessed far too high.
    await session.run("SET jit = off");
    return session;
  };
  progress.phase("connecting");
  try {
    const first = await openReader();
    await leftInSource(first);
    await requireMemory({ engine: "postgres", session: first }, "mysql", options);
    const [measured] = await first.query<{ size: number }>(
      "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
    );
    hooks.measured(measured?.size ?? 0, "conversion");
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
    const openWriter = async () => {
      const session = await fence.open();
      targets.push(session);
      signal.addEventListener("abort", () => session.destroy(), { once: true });
      return session;
    };
    const watchdog = createWatchdog({
      progress: () => progress.moved,
      diagnose: [
        diagnosePostgres(request.source, { role: "source", applicationName: program }),
        diagnoseMysql(request.target, { role: "target", threads: () => targets.map(({ threadId }) => threadId) }),
      ],
      stallSeconds: options.stall_timeout,
      fail: (error) => stop.abort(error),
      now: () => performance.now(),
    });
    let done = false;
    try {
      const saved = request.reset ? undefined : await fence.savedResult();
      if (saved !== undefined) {
        hooks.log("info", "the copy was finished and verified by an earlier worker");
        done = true;
        return { report: saved, finish };
      }
      const result = await copyAll({
        request,
        hooks,
        progress,
        throttle: createThrottle(options.bandwidth, { now: () => performance.now(), signal }),
        signal,
        fence,
        first,
        openReader,
        openWriter,
        fail: (error) => stop.abort(error),
      });
      const report: CopyReport = {
        type: "conversion",
        source: { engine: "postgres", version: versionText(first.version) },
        ...result,
        started_at: startedAt,
        finished_at: new Date().toISOString(),
        // Rows that were put into tables of others are not ours to take out again.
        made: (await fence.made()).filter(({ kind }) => kind !== "rows"),
      };
      refuseDifferences(report);
      await fence.saveResult(report);
      progress.phase("finished");
      done = true;
      return { report, finish };
    } catch (error) {
      hooks.signal.throwIfAborted();
      if (!stop.signal.aborted) stop.abort(error);
      // What stopped the others is the cause; what they then say of their sessions is not.
      throw await causeOf(stop.signal.reason, request.target, fence);
    } finally {
      watchdog.stop();
      if (!done) await fence.close();
    }
  } finally {
    await Promise.all([...sources, ...targets].map((session) => session.end()));
  }
}
