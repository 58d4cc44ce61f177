import { markAlikeLabels } from "../../mysql/catalogue/alike-labels.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { causeOf, type MysqlFence, openFence } from "../../mysql/fence/fence.ts";
import { refuseSameDatabase } from "../../mysql/fence/same-database.ts";
import { type OpenedSource, openMysqlSource } from "../../mysql/source/open-source.ts";
import { type Direction, fenceOptions } from "../../run/lifecycle.ts";
import { databaseInTarget } from "../../run/renamed-schemas.ts";
import { diagnoseMysql } from "../../run/watchdog/mysql.ts";
import { type CopiedRows, copyRows, type PlannedCopy } from "./copy/copy-rows.ts";
import { compare, finish, plan } from "./copy/phases.ts";
import type { CopyRun } from "./copy/run.ts";

interface Source extends OpenedSource {
  prefix: string;
  /** Of the target; filled once there is something to copy. */
  writers: Session[];
}

/**
 * MySQL or MariaDB → MySQL or MariaDB. Reads one state of the source by several sessions, turns row packets into LOAD DATA
 * text as bytes, builds indexes as soon as a table's rows are there, and compares both sides before it says done.
 */
export const mysqlToMysql: Direction<Source, MysqlFence, CopyRun, PlannedCopy, CopiedRows, void> = {
  type: "transfer",
  async open(life) {
    const { request, signal } = life;
    const prefix = databaseInTarget(request.options.schemas, request.source.database, "mysql");
    const source = await openMysqlSource(life, (reader) => refuseSameDatabase(reader, request.target, signal));
    await markAlikeLabels(source.reader, source.catalogue.tables);
    return { ...source, prefix, writers: [] };
  },
  fence: (life) => openFence(life.request.target, fenceOptions(life)),
  diagnose: ({ request }, { snapshot, writers }) => [
    diagnoseMysql(request.source, { role: "source", threads: () => snapshot.readers.map(({ threadId }) => threadId) }),
    diagnoseMysql(request.target, { role: "target", threads: () => writers.map(({ threadId }) => threadId) }),
  ],
  async begin(life, source, fence) {
    const { snapshot, writers } = source;
    const cut = () => {
      for (const writer of writers) writer.destroy();
    };
    life.failed.addEventListener("abort", cut, { once: true });
    life.atEnd(() => Promise.all(writers.map((writer) => writer.end())));
    for (const _ of snapshot.readers) writers.push(await fence.open());
    return { ...life, ...source, fence };
  },
  plan,
  copyRows,
  finish,
  compare,
  cause: (reason, { request }, _source, fence) => causeOf(reason, request.target, fence),
};
