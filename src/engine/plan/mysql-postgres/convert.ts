import { type OpenedSource, openMysqlSource } from "../../mysql/source/open-source.ts";
import { connect, type Session as Writer } from "../../postgres/driver/connection.ts";
import { applicationName, causeOf, openFence } from "../../postgres/fence/fence.ts";
import { BadText, located } from "../../rows/mysql-to-copy/bad-text.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { type Direction, fenceOptions } from "../../run/lifecycle.ts";
import { diagnoseMysql } from "../../run/watchdog/mysql.ts";
import { diagnosePostgres } from "../../run/watchdog/postgres.ts";
import { type CopiedRows, copyRows, type PlannedCopy } from "./copy/copy-rows.ts";
import { compare, type Finished, finish, plan } from "./copy/phases.ts";
import type { CopyRun } from "./copy/run.ts";
import { createSessions } from "./copy/sessions.ts";
import { refuseTogether, targetSchema, zeroDates } from "./options.ts";

interface Source extends OpenedSource {
  /** Of the target. */
  schema: string;
}

/**
 * MySQL or MariaDB → PostgreSQL. Reads one state of the source by several sessions, turns row packets into COPY text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export const mysqlToPostgres: Direction<Source, Fence<Writer>, CopyRun, PlannedCopy, CopiedRows, Finished> = {
  type: "conversion",
  async open(life) {
    const { options, source } = life.request;
    refuseTogether(options);
    // Refused before the source is read.
    zeroDates(options);
    const schema = targetSchema(options, source.database);
    return { ...(await openMysqlSource(life)), schema };
  },
  fence: (life) => openFence(life.request.target, fenceOptions(life)),
  diagnose: ({ request }, { snapshot }, fence) => [
    diagnoseMysql(request.source, { role: "source", threads: () => snapshot.readers.map(({ threadId }) => threadId) }),
    diagnosePostgres(request.target, {
      role: "target",
      applicationName: () => applicationName(request.owner, fence.epoch),
    }),
  ],
  async begin(life, { snapshot, catalogue, excluded, size, schema }, fence) {
    const { request, signal } = life;
    const { options } = request;
    const open = () =>
      connect(request.target, {
        role: "target",
        applicationName: applicationName(request.owner, fence.epoch),
        signal,
        statementTimeout: options.statement_timeout,
      });
    const sessions = createSessions(open, options.jobs);
    life.atEnd(() => sessions.close());
    return { ...life, snapshot, catalogue, excluded, size, schema, fence, open, sessions };
  },
  plan,
  copyRows,
  finish,
  compare,
  async cause(reason, { request, hooks }, { catalogue }, fence) {
    if (reason instanceof BadText) return await located(reason, request.source, catalogue, hooks.signal);
    return await causeOf(reason, request, fence);
  },
};
