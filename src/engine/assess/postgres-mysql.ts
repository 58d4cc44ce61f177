import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { mysqlClaim } from "../mysql/fence/taken-names.ts";
import { doubtWarnings } from "../plan/fits/doubt-warnings.ts";
import {
  type Chosen,
  choose,
  type ExistingTables,
  mostColumns,
  type Plans,
  planCopy,
  planTables,
  prefixOf,
  readPlanTarget,
  readThings,
  refuseOldTarget,
  relationNames,
  usePresent,
} from "../plan/postgres-mysql/index.ts";
import { type PlannedObject, withoutText } from "../plan/types.ts";
import type { ColumnDefinition } from "../postgres/catalogue/catalogue.ts";
import { reportObject, type SourceObject } from "../postgres/catalogue/objects.ts";
import { map } from "../run/memory/iterators.ts";
import { reportClaimed } from "./claimed.ts";
import { type ReportFinding, reportPlan, reportWarnings } from "./finding.ts";
import { assessMysqlTarget, relationsOf } from "./mysql/index.ts";
import { reportKeyless } from "./mysql/keyless.ts";
import { reportInTheWay, reportMysqlReferences, reportRefused, reportUnmatched } from "./name-conflicts.ts";
import type { PostgresFindings, PostgresReading } from "./postgres/between-postgres.ts";
import { namedIn, reportMysqlDropped } from "./rows-dropped.ts";

/** What a copy from PostgreSQL into MySQL or MariaDB would meet. */

export async function fromPostgresToMysql(
  { session, source, own, isOwn, to, options, claimed }: PostgresReading,
  target: MysqlSession,
  report: ReportFinding,
): Promise<PostgresFindings> {
  await reportRefused(report, "the target server", () => refuseOldTarget(target));
  const things = await readThings(session, options, { isTable: ({ oid }) => oid === own?.oid, isSequence: isOwn });
  const { tables: all, views } = things;
  let chosen: Chosen | undefined;
  await reportRefused(report, "tables", () => {
    chosen = choose(all, { options }, views);
  });
  chosen ??= choose(
    all.filter(({ columns }) => columns.length <= mostColumns),
    { options },
    views,
  );
  const { tables } = chosen;
  const needs = !target.server.maria && tables.some(({ foreignKeys }) => foreignKeys.length > 0) ? ["REFERENCES"] : [];
  const wants = { needs: options.content === "data" ? [] : needs, code: false, size: source.size, jobs: options.jobs };
  const found = await assessMysqlTarget(target, to, wants, report);
  const facts = await readPlanTarget(target, { exact: found.exact, database: to.database }, chosen);
  const converting = { session, chosen, things };
  let planned: PlannedObject[] = [];
  if (options.content !== "data") {
    const plan = planCopy(converting, facts, options);
    await reportKeyless(target, plan.keyless, report, true);
    planned = reportPlan(plan, report);
  }
  const objects = found.may("CREATE VIEW") ? planned : planned.map((entry) => withoutViews(entry, report));
  const relations = await relationsOf(target, to.database);
  const fold = (name: string) => (found.exact ? name : name.toLowerCase());
  const wanted = tables.map(({ schema, name }) => `${prefixOf(schema, options.schemas)}${name}`);
  const free = reportClaimed(claimed, relationNames(wanted, views, options, found.exact), report);
  const unclaimed = new Set(free.map(({ name }) => name));
  const { drop = [] } = options;
  await reportUnmatched([...relations, ...wanted], to.database, drop, report);
  let rows: PlannedObject[] = [];
  let going = namedIn(to.database, wanted, drop);
  if (options.content === "data") {
    const { plans } = planTables(converting, facts, options);
    const written = { encoding: source.encoding, version: session.version };
    rows = await intoPresent({ target, database: to.database }, plans, written, drop, report);
    rows.push(...largeObjects(things.objects));
  } else {
    going = reportInTheWay(
      fold(to.database),
      wanted.filter((name) => unclaimed.has(mysqlClaim("table", name, found.exact).name)).map(fold),
      relations.map(fold),
      drop,
      report,
    );
    await reportMysqlReferences(target, to.database, going, report);
  }
  return {
    empty: relations.every((name) => name === "_rowferry"),
    free: found.free,
    drops: await reportMysqlDropped(target, { database: to.database, names: going }, options.content, report),
    packet: { settings: found.settings, long: tables.some(({ columns }) => columns.some(isLong)) },
    objects: [...objects, ...rows, ...chosen.entries.map(({ definition: _, ...entry }) => entry)],
  };
}

const largeObjects = (objects: readonly SourceObject[]): PlannedObject[] =>
  objects.filter(({ kind }) => kind === "large object").map((one) => withoutText(reportObject(one)));

/** Types without a length of their own. */
const isLong = ({ type, array, modifier }: ColumnDefinition) =>
  array || (modifier < 0 && /^(?:text|bytea|jsonb?|xml|varchar|bpchar|tsvector|citext)$/.test(type));

/** What the copy refuses of tables that are there, table by table. */
async function intoPresent(
  { target, database }: { target: MysqlSession; database: string },
  plans: Pick<Plans, "values">,
  source: { encoding: string | undefined; version: number },
  drop: readonly string[],
  report: ReportFinding,
): Promise<PlannedObject[]> {
  let present: ExistingTables | undefined;
  await reportRefused(report, "triggers of the target", async () => {
    const names = [...map(plans.values(), ({ name }) => name)];
    present = await usePresent(target, { database, names }, source);
  });
  if (present === undefined) return [];
  const fit: { name: string }[] = [];
  const objects: PlannedObject[] = [];
  for (const plan of plans.values())
    await reportRefused(report, plan.name, () => {
      const { name, doubts, inventory } = (present as ExistingTables).adapted(plan);
      fit.push({ name });
      objects.push(...inventory.map(withoutText));
      reportWarnings(doubtWarnings(name, doubts), report);
    });
  await reportRefused(report, "rows of the target", () => present?.filled(fit, drop));
  return objects;
}

function withoutViews(entry: PlannedObject, report: ReportFinding): PlannedObject {
  if (entry.kind !== "view" || entry.outcome !== "converted") return entry;
  const note = "the target's user lacks the right to make views";
  report("warning", "right_missing", entry.name, note, "GRANT CREATE VIEW ON the target's database to its user");
  return { ...entry, outcome: "reported", note };
}
