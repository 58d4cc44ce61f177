import { type CopyOptions, type Endpoint, EngineError } from "../contract.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import { selected, targetSchema } from "../mysql-to-postgres/options.ts";
import { readTypes } from "../mysql-to-postgres/overrides.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { isSameDatabase } from "../postgres/same.ts";
import { readTables } from "../postgres-to-mysql/catalogue.ts";
import { prefixOf } from "../postgres-to-mysql/scheme.ts";
import { codeWarnings } from "../postgres-to-postgres/foreign-code.ts";
import { createSelection } from "../selection.ts";
import { mysqlToMysql, mysqlToPostgres, postgresToMysql, postgresToPostgres } from "./conversions.ts";
import type { PlannedObject, Say } from "./finding.ts";
import { assessMysqlSource, assessMysqlTarget, list, relationsOf } from "./mysql.ts";
import { assessPostgresSource, assessPostgresTarget } from "./postgres.ts";

/** Both servers of a direction, looked at together. */
export type Sides = { source: Opened; target: Opened };
type Opened = { engine: "mysql"; session: MysqlSession } | { engine: "postgres"; session: PostgresSession };

export interface Found {
  /** Bytes and rows by statistics. */
  size: number;
  rows: number;
  tables: number;
  /** The target has nothing of the user's. */
  empty: boolean;
  free: number | null;
  objects: PlannedObject[];
  samples: string[];
}

interface Request {
  source: Endpoint;
  target: Endpoint;
  options: CopyOptions;
}

export function assessPair(sides: Sides, request: Request, say: Say): Promise<Found> {
  const { source, target } = sides;
  if (source.engine === "mysql") return fromMysql(source.session, target, request, say);
  return fromPostgres(source.session, target, request, say);
}

const mysqlSamples = [
  "information_schema.TABLES: TABLE_ROWS, DATA_LENGTH and INDEX_LENGTH (the server's statistics)",
  "DEFAULT() of columns whose default the catalogue shows with ?, from the table's first row",
];
const postgresSamples = ["pg_class.reltuples and pg_total_relation_size() (the server's statistics)"];

async function fromMysql(session: MysqlSession, target: Opened, request: Request, say: Say): Promise<Found> {
  const { source: from, target: to, options } = request;
  const whole = await assessMysqlSource(session, from, options, say);
  const { catalogue, excluded } = selected(whole, from.database, createSelection(options));
  const { maria, version } = session.server;
  const source = { database: from.database, maria, version, catalogue };
  let objects: PlannedObject[];
  let empty: boolean;
  let free: number | null = null;
  if (target.engine === "postgres") {
    const found = await assessPostgresTarget(target.session, to, true, [], say);
    const schema = targetSchema(options, from.database);
    const forced = await readTypes(target.session, from.database, catalogue.tables, options.types);
    objects = mysqlToPostgres(source, options, schema, forced, target.session.version, say);
    empty = found.relations.length === 0;
    sayInTheWay(
      catalogue.tables.map(({ name }) => `${schema}.${name}`),
      found.relations,
      options,
      say,
    );
  } else {
    const found = await assessMysqlTarget(target.session, to, say);
    const relations = await relationsOf(target.session, to.database);
    if (sameServer(from, to)) throw sameDatabase();
    objects = mysqlToMysql(source, target.session.server.maria, say);
    empty = relations.every((name) => name === "_rowferry");
    free = found.free;
    const prefix = options.schemas?.[from.database] ?? "";
    sayInTheWay(
      catalogue.tables.map(({ name }) => `${to.database}.${prefix}${name}`),
      relations.map((name) => `${to.database}.${name}`),
      options,
      say,
    );
  }
  const sum = (of: (table: (typeof catalogue.tables)[number]) => number) =>
    catalogue.tables.reduce((total, table) => total + of(table), 0);
  return {
    size: sum(({ dataBytes, indexBytes }) => dataBytes + indexBytes),
    rows: sum(({ rows }) => rows),
    tables: catalogue.tables.length,
    empty,
    free,
    objects: [...objects, ...excluded.map(({ definition: _, ...entry }) => entry)],
    samples: mysqlSamples,
  };
}

async function fromPostgres(session: PostgresSession, target: Opened, request: Request, say: Say): Promise<Found> {
  const { source: from, target: to, options } = request;
  const source = await assessPostgresSource(session, from, say);
  const selection = createSelection(options);
  selection.refuseUnmatched(source.tables.map(({ schema, name }) => ({ schema, table: name })));
  const has = ({ schema, name }: { schema: string; name: string }) => selection.has(schema, name);
  const tables = source.tables.filter(has);
  let objects: PlannedObject[];
  let empty: boolean;
  let free: number | null = null;
  if (target.engine === "postgres") {
    if (await isSameDatabase(session, target.session)) throw sameDatabase();
    const found = await assessPostgresTarget(target.session, to, false, source.extensions, say);
    objects = await postgresToPostgres(session);
    for (const words of await codeWarnings(session, target.session))
      say("warning", "foreign_code", "code of the source", words, "copy as a user who is no superuser");
    empty = found.relations.length === 0;
    sayInTheWay(
      tables.map(({ schema, name }) => `${options.schemas?.[schema] ?? schema}.${name}`),
      found.relations,
      options,
      say,
    );
  } else {
    const found = await assessMysqlTarget(target.session, to, say);
    const all = await readTables(session);
    const planned = all.filter(has);
    const { maria, version } = target.session.server;
    const facts = { maria, version, exact: found.exact, database: to.database };
    objects = await postgresToMysql(session, planned, all, facts, options, say);
    const relations = await relationsOf(target.session, to.database);
    empty = relations.every((name) => name === "_rowferry");
    free = found.free;
    const fold = (name: string) => (found.exact ? name : name.toLowerCase());
    sayInTheWay(
      planned.map(({ schema, name }) => fold(`${to.database}.${prefixOf(schema, options.schemas)}${name}`)),
      relations.map((name) => fold(`${to.database}.${name}`)),
      options,
      say,
    );
  }
  const left = source.tables.filter((table) => !has(table));
  return {
    size: left.length === 0 ? source.size : tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    tables: tables.length,
    empty,
    free,
    objects: [
      ...objects,
      ...left.map(({ schema, name }) => ({
        kind: "table",
        name: `${schema}.${name}`,
        outcome: "not_applicable" as const,
        note: "left out by the options include and exclude",
      })),
    ],
    samples: postgresSamples,
  };
}

/** Tables of the target that have the names of those that the copy makes, and that it may not drop. */
function sayInTheWay(
  wanted: readonly string[],
  there: readonly string[],
  { drop = [], content }: CopyOptions,
  say: Say,
): void {
  const taken = new Set(there);
  if (content === "data") {
    const missing = wanted.filter((name) => !taken.has(name));
    if (missing.length > 0)
      say(
        "blocker",
        "table_missing",
        list(missing),
        "only rows are to be copied, and the target lacks the tables",
        "copy the schema first, or all",
      );
    return;
  }
  const inTheWay = wanted.filter(
    (name) => taken.has(name) && !drop.includes(name) && !drop.includes(name.slice(name.indexOf(".") + 1)),
  );
  if (inTheWay.length > 0)
    say(
      "blocker",
      "target_not_empty",
      list(inTheWay),
      "the target has tables of these names",
      "drop or rename them, name them in options.drop, or name an empty database",
    );
}

const sameServer = (one: Endpoint, other: Endpoint) =>
  one.host === other.host && one.port === other.port && one.database === other.database;

const sameDatabase = () =>
  new EngineError("same_database", "source and target are the same database: name two different ones");
