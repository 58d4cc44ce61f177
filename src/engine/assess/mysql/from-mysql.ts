import type { CopyOptions } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import type { Catalogue, SourceColumn } from "../../mysql/catalogue/catalogue.ts";
import { ownAccount } from "../../mysql/catalogue/rights.ts";
import { readConditions } from "../../mysql/catalogue/table-conditions.ts";
import { qualified } from "../../mysql/driver/names.ts";
import type { Session as MysqlSession } from "../../mysql/driver/session.ts";
import { isSameDatabase as isSameMysql, sameDatabase } from "../../mysql/fence/same-database.ts";
import { mysqlClaim } from "../../mysql/fence/taken-names.ts";
import { selectedCatalogue, withoutCheckpoint } from "../../mysql/source/selected.ts";
import { refuseTriggers } from "../../mysql/target/insert-triggers.ts";
import { doubtWarnings } from "../../plan/fits/doubt-warnings.ts";
import {
  charsetsOf,
  checkPresent,
  type MysqlPlan,
  planCopy as planMysql,
  refuseMerged,
  wantedNames as wantedMysqlNames,
  withoutKey,
} from "../../plan/mysql-mysql/index.ts";
import {
  columnKey,
  type MysqlSource,
  planCopy as planPostgres,
  readNames,
  readOverrides,
  readTraits,
  refuseMoneyTypes,
  refuseTogether,
  targetSchema,
  wantedNames,
} from "../../plan/mysql-postgres/index.ts";
import { type PlannedObject, withoutText } from "../../plan/types.ts";
import type { Session as PostgresSession } from "../../postgres/driver/connection.ts";
import type { OpenedDatabase } from "../../run/open-database.ts";
import { databaseInTarget } from "../../run/renamed-schemas.ts";
import { createSelection } from "../../run/selection.ts";
import { reportClaimed } from "../claimed.ts";
import { type ReportFinding, reportPlan, reportWarnings } from "../finding.ts";
import type { PairRequest, TargetFindings } from "../found.ts";
import {
  reportFolded,
  reportInTheWay,
  reportMysqlCode,
  reportMysqlReferences,
  reportPostgresDependents,
  reportRefused,
  reportUnmatched,
} from "../name-conflicts.ts";
import { assessPostgresTarget } from "../postgres/index.ts";
import { namedIn, reportMysqlDropped, reportPostgresDropped } from "../rows-dropped.ts";
import { rowsToPostgres } from "../rows-to-postgres.ts";
import type { Sampled } from "../sample.ts";
import { reportStrayBytes } from "../stray-bytes.ts";
import { withDefiners } from "./definers.ts";
import { assessMysqlSource, assessMysqlTarget, relationsOf, shortList } from "./index.ts";
import { reportKeyless } from "./keyless.ts";

/** What a copy from MySQL or MariaDB would meet. */

const statistics = "information_schema.TABLES: TABLE_ROWS, DATA_LENGTH and INDEX_LENGTH (the server's statistics)";
const defaults = "DEFAULT() of columns whose default the catalogue shows with ?, from the table's first row";

interface Reading {
  source: MysqlSource;
  /** Tables, views and sequences that the options leave out. */
  left: readonly string[];
  request: PairRequest;
  report: ReportFinding;
}

type Answer = Pick<TargetFindings, "empty" | "free" | "drops" | "objects" | "packet">;

/** Characters or bytes. */
const longValue = 1 << 22;

const sizeOf = ({ tables }: Catalogue) =>
  tables.reduce((total, { dataBytes, indexBytes }) => total + dataBytes + indexBytes, 0);

export async function fromMysql(
  session: MysqlSession,
  target: OpenedDatabase,
  request: PairRequest,
  report: ReportFinding,
): Promise<TargetFindings> {
  const { source: from, options } = request;
  const selection = createSelection(options);
  const has = (table: string) => selection.has(from.database, table);
  let whole = await assessMysqlSource(session, from, options, has, report);
  let left: PlannedObject[] = [];
  await reportRefused(report, "_rowferry", async () => {
    ({ whole, left } = await withoutCheckpoint(session, from.database, whole, has));
  });
  const { catalogue, excluded } = selectedCatalogue(whole, from.database, selection);
  const out = excluded.flatMap(({ kind, name }) => (kind === "trigger" ? [] : [name]));
  const reading: Reading = {
    source: { session, database: from.database, catalogue },
    left: out,
    request,
    report,
  };
  const found =
    target.engine === "postgres"
      ? await intoPostgres(reading, target.session)
      : await intoMysql(reading, target.session);
  await reportUnseenViews(session, from.database, found.objects, report);
  const inDoubt = catalogue.tables.some(({ columns }) => columns.some((column) => column.defaultInDoubt !== undefined));
  const sum = (of: (table: (typeof catalogue.tables)[number]) => number) =>
    catalogue.tables.reduce((total, table) => total + of(table), 0);
  return {
    size: sizeOf(catalogue),
    rows: sum(({ rows }) => rows),
    data: sum(({ dataBytes }) => dataBytes),
    tables: catalogue.tables.length,
    largest: largestOf(from.database, catalogue),
    samples: [statistics, ...(inDoubt ? [defaults] : [])],
    ...found,
    objects: [...found.objects, ...left, ...excluded.map(withoutText)],
  };
}

/** Without SHOW VIEW the server shows no view's text. */
async function reportUnseenViews(
  session: MysqlSession,
  database: string,
  objects: readonly PlannedObject[],
  report: ReportFinding,
): Promise<void> {
  const views = objects.filter(({ kind, unseen }) => kind === "view" && unseen);
  if (views.length === 0) return;
  const right = `GRANT SHOW VIEW ON ${qualified(database)}.* TO ${await ownAccount(session)}`;
  const names = shortList(views.map(({ name }) => name));
  report("warning", "unseen", `view ${names}`, "its text cannot be seen, so it cannot be translated", right);
}

function largestOf(schema: string, { tables }: Catalogue): Sampled | undefined {
  const [largest] = [...tables].sort((a, b) => b.dataBytes - a.dataBytes);
  if (largest === undefined) return undefined;
  const { name, rows, dataBytes: bytes, columns } = largest;
  return { schema, name, rows, bytes, columns: columns.map((column) => column.name) };
}

async function intoPostgres({ source, request, report }: Reading, session: PostgresSession): Promise<Answer> {
  const { target: to, options, claimed } = request;
  const { database, catalogue } = source;
  const { drop = [], content } = options;
  refuseTogether(options);
  const schema = targetSchema(options, database);
  const tables = catalogue.tables.map(({ name }) => name);
  const free = reportClaimed(claimed, wantedNames(schema, tables, content === "data" ? [] : catalogue.others), report);
  const unclaimed = new Set(free.map(({ name }) => name));
  const wanted = {
    encoding: undefined,
    schemas: content === "data" ? [] : [schema],
    size: sizeOf(catalogue),
    jobs: options.jobs,
    makes: content !== "data",
  };
  const { relations } = await assessPostgresTarget(session, to, wanted, report);
  reportManyColumns(catalogue.tables, report);
  const forced = await readOverrides(session, database, catalogue.tables, options.types);
  await reportRefused(report, "options.types", () => refuseMoneyTypes(session, forced));
  const traits = await readTraits(session);
  const answer = { empty: relations.length === 0, free: null };
  if (content === "data")
    return {
      ...answer,
      drops: await reportPostgresDropped(
        session,
        namedIn(schema, tables, drop).map((name) => fullName(schema, name)),
        content,
        report,
      ),
      objects: await rowsToPostgres(source, { options, schema, forced, ...traits }, session, report),
    };
  const objects = reportPlan(await planPostgres(source, { options, schema, forced, ...traits }, session), report);
  if (content !== "schema") {
    const asText = (table: string) => (column: SourceColumn) =>
      forced.get(columnKey(table, column.name))?.base !== "bytea";
    const texts = catalogue.tables.map(({ name, rows, columns }) => ({
      name,
      rows,
      columns: columns.filter(asText(name)),
    }));
    await reportStrayBytes(source.session, database, texts, report);
  }
  const names = (await readNames(session, schema)).map(({ name }) => name);
  await reportUnmatched([...names, ...tables], schema, drop, report);
  const dropped = reportInTheWay(
    schema,
    tables.filter((name) => unclaimed.has(fullName(schema, name))),
    relations.flatMap((name) => (name.startsWith(`${schema}.`) ? [name.slice(schema.length + 1)] : [])),
    drop,
    report,
  );
  const going = dropped.map((name) => fullName(schema, name));
  await reportPostgresDependents(session, going, report);
  return { ...answer, drops: await reportPostgresDropped(session, going, content, report), objects };
}

async function intoMysql({ source, left, request, report }: Reading, session: MysqlSession): Promise<Answer> {
  const { target: to, options, claimed } = request;
  const { database, catalogue } = source;
  const { drop = [], content } = options;
  if (await isSameMysql(source.session, session)) throw sameDatabase();
  const {
    free: bytes,
    settings,
    exact,
  } = await assessMysqlTarget(
    session,
    to,
    {
      needs: rightsFor(catalogue, options, session.server.maria),
      code: content !== "data" && catalogue.others.some(({ kind }) => kind === "function" || kind === "trigger"),
      size: sizeOf(catalogue),
      jobs: options.jobs,
    },
    report,
  );
  const relations = await relationsOf(session, to.database);
  const plan = await planMysql(session, { source, target: to.database, left, options });
  await reportRefused(report, "tables", () => refuseMerged(catalogue.tables));
  if (content !== "data") await reportKeyless(session, withoutKey(catalogue, ""), report);
  if (content === "data") await reportRowsThere(session, to.database, { source, plan, options }, report);
  const planned = reportPlan(plan, report);
  const sides = { source: source.session, target: session, database };
  const objects = content === "data" ? planned : await withDefiners(sides, options, planned, report);
  const long = catalogue.tables.some(({ columns }) => columns.some(({ characters }) => (characters ?? 0) >= longValue));
  const answer = {
    empty: relations.every((name) => name === "_rowferry"),
    free: bytes,
    objects,
    packet: { settings, long },
  };
  const prefix = databaseInTarget(options.schemas, database, "mysql");
  const naming = { database, prefix, content, server: session.server, exact };
  const free = reportClaimed(claimed, wantedMysqlNames(catalogue, naming), report);
  const unclaimed = new Set(free.map(({ name }) => name));
  const others = catalogue.others.filter(({ kind }) => kind === "sequence" || (kind === "view" && prefix === ""));
  const wanted = [
    ...catalogue.tables.map(({ name }) => prefix + name),
    ...(content === "data" ? [] : others.map(({ name }) => name)),
  ];
  await reportUnmatched([...relations, ...wanted], to.database, drop, report);
  const losing = (names: readonly string[]) =>
    reportMysqlDropped(session, { database: to.database, names }, content, report);
  if (content === "data") return { ...answer, drops: await losing(namedIn(to.database, wanted, drop)) };
  if (!exact) reportFolded(wanted, relations, report);
  const dropped = reportInTheWay(
    to.database,
    wanted.filter((name) => unclaimed.has(mysqlClaim("table", name, exact).name)),
    relations,
    drop,
    report,
  );
  await reportMysqlReferences(session, to.database, dropped, report);
  if (prefix === "") await reportMysqlCode(session, to.database, catalogue, dropped, report);
  return { ...answer, drops: await losing(dropped) };
}

/** Rows alone, into tables that are there. */
async function reportRowsThere(
  session: MysqlSession,
  database: string,
  { source, plan, options }: { source: MysqlSource; plan: MysqlPlan; options: CopyOptions },
  report: ReportFinding,
): Promise<void> {
  const prefix = databaseInTarget(options.schemas, source.database, "mysql");
  const { tables } = source.catalogue;
  const names = tables.map(({ name }) => prefix + name);
  await reportRefused(report, database, () => refuseTriggers(session, database, names));
  const charsets = await charsetsOf(session);
  const conditions = await readConditions(session, database);
  for (const table of tables) {
    const name = prefix + table.name;
    await reportRefused(report, name, async () => {
      const drop = options.drop ?? [];
      const { doubts } = await checkPresent(session, database, () => plan.defined(table), drop, charsets, conditions);
      reportWarnings(doubtWarnings(name, doubts), report);
    });
  }
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

function reportManyColumns(tables: Catalogue["tables"], report: ReportFinding): void {
  for (const { name, columns } of tables)
    if (columns.length > mostInPostgres)
      report(
        "blocker",
        "too_many_columns",
        name,
        `it has ${columns.length} columns, and PostgreSQL's tables have at most ${mostInPostgres}`,
        "leave it out with options.exclude",
      );
}
