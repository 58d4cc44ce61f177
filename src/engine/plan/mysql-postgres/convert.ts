import { EngineError } from "../../contract/index.ts";
import { flavourOf, type OpenedSource, openMysqlSource } from "../../mysql/source/open-source.ts";
import { connect, type Session as Writer } from "../../postgres/driver/connection.ts";
import { applicationName, causeOf, openFence } from "../../postgres/fence/fence.ts";
import { BadText, located } from "../../rows/mysql-to-copy/bad-text.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { type Direction, fenceOptions } from "../../run/lifecycle.ts";
import { createThrottle } from "../../run/throttle.ts";
import { diagnoseMysql } from "../../run/watchdog/mysql.ts";
import { diagnosePostgres } from "../../run/watchdog/postgres.ts";
import { copyAll } from "./copy/phases.ts";
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
export const mysqlToPostgres: Direction<Source, Fence<Writer>> = {
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
  async copy(life, source, fence) {
    const { request, hooks, progress, warn, signal, fail, atEnd } = life;
    const { snapshot, catalogue, excluded, schema } = source;
    const { options } = request;
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
    const sessions = createSessions(open, options.jobs);
    atEnd(() => sessions.close());
    const { target, ...done } = await copyAll({
      ...{ request, hooks, progress, warn, snapshot, catalogue, excluded, fence, open, sessions, fail, schema, signal },
      throttle: createThrottle(options.bandwidth, { now: () => performance.now(), signal }),
    });
    return {
      source: flavourOf(source.reader),
      target: { engine: "postgres", version: target.versionText },
      size: source.size,
      snapshot: snapshot.facts,
      ...done,
    };
  },
  async cause(reason, { request, hooks }, { catalogue }, fence) {
    if (reason instanceof EngineError && reason.code === "stalled") return reason;
    if (reason instanceof BadText) return await located(reason, request.source, catalogue, hooks.signal);
    return await causeOf(reason, request, fence);
  },
};
