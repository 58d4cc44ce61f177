import type { CopyOptions, Endpoint } from "../contract.ts";
import type { Catalogue } from "../mysql/catalogue.ts";
import { withoutCheckpoint } from "../mysql/left-in-source.ts";
import { isSameDatabase as isSameMysql, sameDatabase } from "../mysql/same.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import { selected, targetSchema } from "../mysql-to-postgres/options.ts";
import { readTypes } from "../mysql-to-postgres/overrides.ts";
import { readPostgis } from "../mysql-to-postgres/target.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { isSameDatabase } from "../postgres/same.ts";
import { readTables } from "../postgres-to-mysql/catalogue.ts";
import { type Chosen, choose, mostColumns } from "../postgres-to-mysql/choose.ts";
import { prefixOf } from "../postgres-to-mysql/scheme.ts";
import { refuseOldTarget } from "../postgres-to-mysql/target.ts";
import { readViews } from "../postgres-to-mysql/views.ts";
import { leftInSource } from "../postgres-to-postgres/before.ts";
import { checkDumpVersion, dumpVersion } from "../postgres-to-postgres/dump.ts";
import { codeWarnings } from "../postgres-to-postgres/foreign-code.ts";
import { thingKey } from "../postgres-to-postgres/inventory.ts";
import { readSelectable, unselected } from "../postgres-to-postgres/leave-out.ts";
import { refuseUnknown } from "../postgres-to-postgres/transfer.ts";
import { createSelection } from "../selection.ts";
import { mysqlToMysql, mysqlToPostgres, postgresToPostgres } from "./conversions.ts";
import type { PlannedObject, Say } from "./finding.ts";
import {
  sayInTheWay,
  sayMysqlCode,
  sayMysqlReferences,
  sayPostgresDependents,
  sayPostgresObjects,
  sayRefused,
} from "./in-the-way.ts";
import { assessMysqlSource, assessMysqlTarget, relationsOf } from "./mysql.ts";
import { assessPostgresSource, assessPostgresTarget, type PostgresSource } from "./postgres.ts";
import { postgresToMysql } from "./to-mysql.ts";

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
const postgresSamples = [
  "pg_class.reltuples and pg_total_relation_size() (the server's statistics)",
  "last_value of each sequence, where the target is MySQL or MariaDB",
];

async function fromMysql(session: MysqlSession, target: Opened, request: Request, say: Say): Promise<Found> {
  const { source: from, target: to, options } = request;
  const selection = createSelection(options);
  let whole = await assessMysqlSource(session, from, options, say);
  let left: PlannedObject[] = [];
  await sayRefused(say, "_rowferry", async () => {
    const has = (table: string) => selection.has(from.database, table);
    ({ whole, left } = await withoutCheckpoint(session, from.database, whole, has));
  });
  const { catalogue, excluded } = selected(whole, from.database, selection);
  const { maria, version } = session.server;
  const source = { session, database: from.database, maria, version, catalogue };
  let objects: PlannedObject[];
  let empty: boolean;
  let free: number | null = null;
  if (target.engine === "postgres") {
    const schema = targetSchema(options, from.database);
    const found = await assessPostgresTarget(target.session, to, { encoding: undefined, schemas: [schema] }, say);
    sayManyColumns(catalogue.tables, say);
    const forced = await readTypes(target.session, from.database, catalogue.tables, options.types);
    const traits = { targetVersion: target.session.version, postgis: await readPostgis(target.session) };
    objects = await mysqlToPostgres(source, options, schema, forced, traits, say);
    empty = found.relations.length === 0;
    const dropped = sayInTheWay(
      catalogue.tables.map(({ name }) => `${schema}.${name}`),
      found.relations,
      options,
      say,
    );
    await sayPostgresDependents(target.session, dropped, say);
  } else {
    if (await isSameMysql(session, target.session)) throw sameDatabase();
    const found = await assessMysqlTarget(
      target.session,
      to,
      rightsFor(catalogue, options, target.session.server.maria),
      say,
    );
    const relations = await relationsOf(target.session, to.database);
    objects = await mysqlToMysql(target.session, { source, target: to.database, options }, say);
    empty = relations.every((name) => name === "_rowferry");
    free = found.free;
    const prefix = options.schemas?.[from.database] ?? "";
    const others = catalogue.others.filter(({ kind }) => kind === "sequence" || (kind === "view" && prefix === ""));
    const wanted = [
      ...catalogue.tables.map(({ name }) => prefix + name),
      ...(options.content === "data" ? [] : others.map(({ name }) => name)),
    ];
    const dropped = sayInTheWay(
      wanted.map((name) => `${to.database}.${name}`),
      relations.map((name) => `${to.database}.${name}`),
      options,
      say,
    );
    await sayMysqlReferences(target.session, to.database, dropped, say);
    if (prefix === "" && options.content !== "data")
      await sayMysqlCode(target.session, to.database, catalogue, dropped, say);
  }
  const sum = (of: (table: (typeof catalogue.tables)[number]) => number) =>
    catalogue.tables.reduce((total, table) => total + of(table), 0);
  return {
    size: sum(({ dataBytes, indexBytes }) => dataBytes + indexBytes),
    rows: sum(({ rows }) => rows),
    tables: catalogue.tables.length,
    empty,
    free,
    objects: [...objects, ...left, ...excluded.map(({ definition: _, ...entry }) => entry)],
    samples: mysqlSamples,
  };
}

async function fromPostgres(session: PostgresSession, target: Opened, request: Request, say: Say): Promise<Found> {
  const { source: from, options } = request;
  const source = await assessPostgresSource(session, from, say);
  const selection = createSelection(options);
  const has = ({ schema, name }: { schema: string; name: string }) => selection.has(schema, name);
  const tables = source.tables.filter(has);
  const left = source.tables.filter((table) => !has(table));
  const leftOut = left.map(
    ({ schema, name }): PlannedObject => ({
      kind: "table",
      name: `${schema}.${name}`,
      outcome: "not_applicable",
      note: "left out by the options include and exclude",
    }),
  );
  const reading: Reading = { session, source, tables, left };
  const found =
    target.engine === "postgres"
      ? await betweenPostgres(reading, target.session, request, say)
      : await fromPostgresToMysql(reading, target.session, request, say);
  return {
    size: left.length === 0 ? source.size : tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    tables: tables.length,
    ...found,
    objects: [...found.objects, ...leftOut],
    samples: postgresSamples,
  };
}

interface Reading {
  session: PostgresSession;
  source: PostgresSource;
  /** Those that are copied, … */
  tables: PostgresSource["tables"];
  /** … and those that the options leave out. */
  left: PostgresSource["tables"];
}

type Answer = Pick<Found, "empty" | "free" | "objects">;

const words = ({ schema, name }: { schema: string; name: string }) => `${schema}.${name}`;

async function betweenPostgres(
  { session, source, tables, left }: Reading,
  target: PostgresSession,
  { target: to, options }: Request,
  say: Say,
): Promise<Answer> {
  if (await isSameDatabase(session, target)) throw sameDatabase();
  unselected(await readSelectable(session), options);
  await sayRefused(say, "schemas", () => refuseUnknown(options));
  await sayRefused(say, "pg_dump", async () => checkDumpVersion(await dumpVersion(process.env), session, target));
  await sayRefused(say, "_rowferry", () => leftInSource(session));
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const { encoding, extensions } = source;
  const wanted = { encoding, extensions, schemas: options.content === "data" ? [] : schemas };
  const found = await assessPostgresTarget(target, to, wanted, say);
  const objects = await postgresToPostgres(session);
  for (const one of await codeWarnings(session, target))
    say("warning", "foreign_code", "code of the source", one, "copy as a user who is no superuser");
  if (options.content === "data") sayInTheWay(tables.map(words), found.relations, options, say);
  else await sayPostgresObjects(session, target, new Set(left.map(words)), options, say);
  return { empty: found.relations.length === 0, free: null, objects };
}

async function fromPostgresToMysql(
  { session, tables: selected }: Reading,
  target: MysqlSession,
  { target: to, options }: Request,
  say: Say,
): Promise<Answer> {
  await sayRefused(say, "the target server", () => refuseOldTarget(target));
  let own: Awaited<ReturnType<typeof leftInSource>>;
  await sayRefused(say, "_rowferry", async () => {
    own = await leftInSource(session);
  });
  const isOwn = ({ schema, name }: { schema: string; name: string }) =>
    own?.parts.has(thingKey({ kind: "sequence", name: `${schema}.${name}` })) === true;
  const all = (await readTables(session)).filter(({ oid }) => oid !== own?.oid);
  const views = await readViews(session);
  let chosen: Chosen | undefined;
  await sayRefused(say, "tables", () => {
    chosen = choose(all, { options }, views);
  });
  chosen ??= choose(
    all.filter(({ columns }) => columns.length <= mostColumns),
    { options },
    views,
  );
  const { tables } = chosen;
  const needs = !target.server.maria && tables.some(({ foreignKeys }) => foreignKeys.length > 0) ? ["REFERENCES"] : [];
  const found = await assessMysqlTarget(target, to, options.content === "data" ? [] : needs, say);
  const { maria, version } = target.server;
  const facts = { maria, version, exact: found.exact, database: to.database };
  const planned = await postgresToMysql({ session, chosen, all, views, isOwn }, facts, options, say);
  const objects = found.may("CREATE VIEW") ? planned : planned.map((entry) => withoutViews(entry, say));
  const relations = await relationsOf(target, to.database);
  const fold = (name: string) => (found.exact ? name : name.toLowerCase());
  const wanted = new Set(selected.map(words));
  const notSaid = chosen.entries.filter(({ name, outcome }) => outcome !== "not_applicable" && wanted.has(name));
  const dropped = sayInTheWay(
    tables.map(({ schema, name }) => fold(`${to.database}.${prefixOf(schema, options.schemas)}${name}`)),
    relations.map((name) => fold(`${to.database}.${name}`)),
    options,
    say,
  );
  await sayMysqlReferences(target, to.database, dropped, say);
  return {
    empty: relations.every((name) => name === "_rowferry"),
    free: found.free,
    objects: [...objects, ...notSaid.map(({ definition: _, ...entry }) => entry)],
  };
}

function withoutViews(entry: PlannedObject, say: Say): PlannedObject {
  if (entry.kind !== "view" || entry.outcome !== "converted") return entry;
  const note = "the target's user lacks the right to make views";
  say("warning", "right_missing", entry.name, note, "GRANT CREATE VIEW there");
  return { ...entry, outcome: "reported", note };
}

/** Rights without which what the source has cannot be made. */
function rightsFor({ tables, others }: Catalogue, { content, schemas = {} }: CopyOptions, maria: boolean): string[] {
  if (content === "data") return [];
  const kinds = new Set<string>(
    Object.values(schemas).every((prefix) => prefix === "") ? others.map(({ kind }) => kind) : [],
  );
  // MariaDB knows the right and does not ask for it.
  if (!maria && tables.some(({ foreignKeys }) => foreignKeys.length > 0)) kinds.add("foreign key");
  return Object.entries(makes).flatMap(([right, made]) => (made.some((kind) => kinds.has(kind)) ? [right] : []));
}

const makes: Record<string, string[]> = {
  REFERENCES: ["foreign key"],
  "CREATE VIEW": ["view"],
  TRIGGER: ["trigger"],
  "CREATE ROUTINE": ["function", "procedure", "package"],
  EVENT: ["event"],
};

/** Of PostgreSQL's tables. */
const mostInPostgres = 1600;

function sayManyColumns(tables: Catalogue["tables"], say: Say): void {
  for (const { name, columns } of tables)
    if (columns.length > mostInPostgres)
      say(
        "blocker",
        "too_many_columns",
        name,
        `it has ${columns.length} columns, and PostgreSQL's tables have at most ${mostInPostgres}`,
        "leave it out with options.exclude",
      );
}
