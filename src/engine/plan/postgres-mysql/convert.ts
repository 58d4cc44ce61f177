import type { Session as Writer } from "../../mysql/driver/session.ts";
import { causeOf, type MysqlFence, openFence } from "../../mysql/fence/fence.ts";
import { connect, type Session as Reader } from "../../postgres/driver/connection.ts";
import { applicationName } from "../../postgres/fence/fence.ts";
import { leftInSource } from "../../postgres/source/left-in-source.ts";
import { type Direction, fenceOptions } from "../../run/lifecycle.ts";
import { requireMemory } from "../../run/memory/check.ts";
import { diagnoseMysql } from "../../run/watchdog/mysql.ts";
import { diagnosePostgres } from "../../run/watchdog/postgres.ts";
import { compare, copyRows, type Finished, finish, plan } from "./copy/phases.ts";
import type { PreparedCopy } from "./copy/prepare.ts";
import type { CopyRun } from "./copy/run.ts";

interface Source {
  first: Reader;
  openReader(): Promise<Reader>;
  /** Shown in the server's list of sessions. */
  program: string;
  /** Of the target; filled as they are opened. */
  writers: Writer[];
  /** Bytes. */
  size: number;
}

/**
 * PostgreSQL → MySQL or MariaDB. Reads one snapshot of the source by several sessions, turns COPY text into LOAD DATA text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export const postgresToMysql: Direction<Source, MysqlFence, CopyRun, PreparedCopy, void, Finished> = {
  type: "conversion",
  async open({ request, signal, atEnd }) {
    const { options } = request;
    const program = applicationName(request.owner, 0);
    const readers: Reader[] = [];
    const openReader = async () => {
      const session = await connect(request.source, {
        role: "source",
        applicationName: program,
        signal,
        statementTimeout: options.statement_timeout,
      });
      readers.push(session);
      return session;
    };
    atEnd(() => Promise.all(readers.map((session) => session.end())));
    const first = await openReader();
    await leftInSource(first);
    await requireMemory({ engine: "postgres", session: first }, "mysql", options);
    const [measured] = await first.query<{ size: number }>(
      "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
    );
    return { first, openReader, program, writers: [], size: measured?.size ?? 0 };
  },
  fence: (life) => openFence(life.request.target, fenceOptions(life)),
  diagnose: ({ request }, { program, writers }) => [
    diagnosePostgres(request.source, { role: "source", applicationName: program }),
    diagnoseMysql(request.target, { role: "target", threads: () => writers.map(({ threadId }) => threadId) }),
  ],
  async begin(life, { first, openReader, writers }, fence) {
    life.atEnd(() => Promise.all(writers.map((session) => session.end())));
    const openWriter = async () => {
      const session = await fence.open();
      writers.push(session);
      life.signal.addEventListener("abort", () => session.destroy(), { once: true });
      return session;
    };
    return { ...life, fence, first, openReader, openWriter };
  },
  plan,
  copyRows,
  finish,
  compare,
  cause: (reason, { request }, _source, fence) => causeOf(reason, request.target, fence),
};
