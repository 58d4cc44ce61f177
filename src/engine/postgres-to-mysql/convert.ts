import type { Copied, CopyHooks, CopyReport, CopyRequest } from "../contract.ts";
import { causeOf, type MysqlFence, openFence } from "../mysql/fence.ts";
import type { Session as Writer } from "../mysql/session.ts";
import { connect, type Session as Reader } from "../postgres/connection.ts";
import { applicationName } from "../postgres/fence.ts";
import { createProgress } from "../progress.ts";
import { copyAll, type Run } from "./pass.ts";
import { refuseUnsupported } from "./verification.ts";

/**
 * PostgreSQL → MySQL or MariaDB. Reads one snapshot of the source by several sessions, turns COPY text into LOAD DATA text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export async function convertToMysql(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  refuseUnsupported(request.options);
  const startedAt = new Date().toISOString();
  const failed = new AbortController();
  const signal = AbortSignal.any([hooks.signal, failed.signal]);
  const progress = createProgress(hooks.progress);
  const sources: Reader[] = [];
  const targets: Writer[] = [];
  let fence: MysqlFence | undefined;
  let done = false;
  progress.phase("connecting");
  try {
    const openReader = async () => {
      const session = await connect(request.source, {
        role: "source",
        applicationName: applicationName(request.owner, 0),
        signal,
        statementSeconds: request.options.statement_timeout ?? 0,
      });
      sources.push(session);
      // Compiling would take longer than the catalogue's queries, whose cost is guessed far too high.
      await session.run("SET jit = off");
      return session;
    };
    const first = await openReader();
    const [measured] = await first.query<{ size: number }>(
      "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
    );
    hooks.measured(measured?.size ?? 0, "conversion");
    fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      statementTimeout: request.options.statement_timeout,
      warn: (message) => hooks.log("warning", message),
    });
    const opened = fence;
    const finish = async () => {
      await opened.drop();
      await opened.close();
    };
    const saved = request.reset ? undefined : await fence.savedResult();
    if (saved !== undefined) {
      hooks.log("info", "the copy was finished and verified by an earlier worker");
      done = true;
      return { report: saved, finish };
    }
    const made = [...(request.reset ? (request.made ?? []) : []), ...(await fence.made())];
    // Also the parts of an earlier attempt: a new snapshot begins from nothing.
    await fence.clean(made);
    const openWriter = async () => {
      const session = await opened.open();
      targets.push(session);
      signal.addEventListener("abort", () => session.destroy(), { once: true });
      return session;
    };
    const run: Run = {
      request,
      hooks,
      progress,
      signal,
      fence,
      first,
      openReader,
      openWriter,
      fail: (error) => failed.abort(error),
    };
    const result = await copyAll(run);
    const report: CopyReport = {
      type: "conversion",
      source: { engine: "PostgreSQL", version: `${Math.floor(first.version / 10_000)}.${first.version % 10_000}` },
      ...result,
      startedAt,
      finishedAt: new Date().toISOString(),
      made: await fence.made(),
    };
    await fence.saveResult(report);
    progress.phase("finished");
    done = true;
    return { report, finish };
  } catch (error) {
    failed.abort(error);
    hooks.signal.throwIfAborted();
    throw fence === undefined ? error : await causeOf(error, request.target, fence);
  } finally {
    if (!done) await fence?.close();
    await Promise.all([...sources, ...targets].map((session) => session.end()));
  }
}
