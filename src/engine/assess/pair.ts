import { readSelectable, unselected } from "../postgres/catalogue/selectable.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { isSequenceOf, leftInSource } from "../postgres/source/left-in-source.ts";
import type { OpenedDatabase } from "../run/open-database.ts";
import { readClaimed } from "./claimed.ts";
import type { ReportFinding } from "./finding.ts";
import type { PairRequest, Request, Sides, TargetFindings } from "./found.ts";
import { fromMysql } from "./mysql/from-mysql.ts";
import { reportRefused } from "./name-conflicts.ts";
import { betweenPostgres } from "./postgres/between-postgres.ts";
import { assessPostgresSource, largestOf } from "./postgres/index.ts";
import { fromPostgresToMysql } from "./postgres-mysql.ts";

interface Reporting {
  report: ReportFinding;
  signal: AbortSignal;
}

export async function assessPair(sides: Sides, request: Request, reporting: Reporting): Promise<TargetFindings> {
  const { source, target } = sides;
  const claimed = await readClaimed(target, request.target.database, request.owner, reporting.report);
  if (source.engine === "mysql") return fromMysql(source.session, target, { ...request, claimed }, reporting.report);
  return fromPostgres(source.session, target, { ...request, claimed }, reporting);
}

/** As a copy counts them: between PostgreSQL servers each partition is a table, in MySQL the partitioned table is one. */
const copiedTables = (
  tables: readonly { partitioned: boolean; part: boolean }[],
  to: OpenedDatabase["engine"],
): number => tables.filter(({ partitioned, part }) => !(to === "postgres" ? partitioned : part)).length;

/** Materialized views, which MySQL gets as tables. */
const asTables = (objects: TargetFindings["objects"]): number =>
  objects.filter(({ kind, outcome }) => kind === "materialized view" && outcome === "converted").length;

const statistics = "pg_class.reltuples, live rows and pg_total_relation_size() (the server's statistics)";
const lastValues = "last_value of each sequence";

async function fromPostgres(
  session: PostgresSession,
  target: OpenedDatabase,
  { source: from, target: to, options, claimed, pgDump, dumpBytes }: PairRequest,
  { report, signal }: Reporting,
): Promise<TargetFindings> {
  const left = unselected(await readSelectable(session), options);
  const asked = { jobs: options.jobs, skipped: left, dumped: target.engine === "postgres" };
  const source = await assessPostgresSource(session, from, asked, report);
  let own: Awaited<ReturnType<typeof leftInSource>>;
  await reportRefused(report, "_rowferry", async () => {
    own = await leftInSource(session);
  });
  const tables = source.tables.filter(({ oid }) => !left.has(oid));
  const isOwn = isSequenceOf(own);
  const reading = { session, source, tables, own, isOwn, to, options, claimed, pgDump, dumpBytes, signal };
  const found =
    target.engine === "postgres"
      ? await betweenPostgres(reading, target.session, report)
      : await fromPostgresToMysql(reading, target.session, report);
  return {
    size: left.size === 0 ? source.size : tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    data: tables.reduce((sum, { data }) => sum + data, 0),
    tables: copiedTables(tables, target.engine) + (target.engine === "mysql" ? asTables(found.objects) : 0),
    largest: await largestOf(session, tables),
    samples: [statistics, ...(target.engine === "mysql" ? [lastValues] : [])],
    ...found,
  };
}
