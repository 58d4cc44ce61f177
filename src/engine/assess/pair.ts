import type { CopyOptions, Endpoint } from "../contract.ts";
import type { Opened } from "../opened.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { leftInSource } from "../postgres/left-in-source.ts";
import { readSelectable, unselected } from "../postgres-to-postgres/leave-out.ts";
import { betweenPostgres } from "./between-postgres.ts";
import { type Claimed, readClaimed } from "./claimed.ts";
import type { PlannedObject, Say } from "./finding.ts";
import { fromMysql } from "./from-mysql.ts";
import { sayRefused } from "./in-the-way.ts";
import type { Settings } from "./mysql-limits.ts";
import { assessPostgresSource, largestOf } from "./postgres.ts";
import { fromPostgresToMysql } from "./postgres-mysql.ts";
import type { Sampled } from "./sample.ts";

/** Both servers of a direction, looked at together. */
export type Sides = { source: Opened; target: Opened };

export interface Found {
  /** Bytes and rows by statistics. */
  size: number;
  rows: number;
  /** Bytes without indexes. */
  data: number;
  tables: number;
  largest: Sampled | undefined;
  /** The target has nothing of the user's. */
  empty: boolean;
  free: number | null;
  /** Of a MySQL target: its settings, and whether the source has columns for long values. */
  packet?: { settings: Settings; long: boolean };
  objects: PlannedObject[];
  samples: string[];
}

export interface Request {
  source: Endpoint;
  target: Endpoint;
  options: CopyOptions;
  owner?: string;
  pgDump?: number | undefined;
  dumpBytes?: number | undefined;
}

interface Telling {
  say: Say;
  signal: AbortSignal;
}

export async function assessPair(sides: Sides, request: Request, telling: Telling): Promise<Found> {
  const { source, target } = sides;
  const claimed = await readClaimed(target, request.target.database, request.owner, telling.say);
  if (source.engine === "mysql") return fromMysql(source.session, target, { ...request, claimed }, telling.say);
  return fromPostgres(source.session, target, { ...request, claimed }, telling);
}

/** With what other runs claim in the target. */
export type Asked = Request & { claimed: Claimed };

const statistics = "pg_class.reltuples, live rows and pg_total_relation_size() (the server's statistics)";
const lastValues = "last_value of each sequence";

async function fromPostgres(
  session: PostgresSession,
  target: Opened,
  { source: from, target: to, options, claimed, pgDump, dumpBytes }: Asked,
  { say, signal }: Telling,
): Promise<Found> {
  const source = await assessPostgresSource(session, from, options.jobs, say);
  let own: Awaited<ReturnType<typeof leftInSource>>;
  await sayRefused(say, "_rowferry", async () => {
    own = await leftInSource(session);
  });
  const left = unselected(await readSelectable(session), options);
  const tables = source.tables.filter(({ oid }) => !left.has(oid));
  const reading = { session, source, tables, own, to, options, claimed, pgDump, dumpBytes, signal };
  const found =
    target.engine === "postgres"
      ? await betweenPostgres(reading, target.session, say)
      : await fromPostgresToMysql(reading, target.session, say);
  return {
    size: left.size === 0 ? source.size : tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    data: tables.reduce((sum, { data }) => sum + data, 0),
    tables: tables.length,
    largest: await largestOf(session, tables),
    samples: [statistics, ...(target.engine === "mysql" ? [lastValues] : [])],
    ...found,
  };
}
