import type { CopyOptions } from "../../contract/index.ts";
import type { Session as MysqlSession } from "../../mysql/driver/session.ts";
import type { TableDefinition } from "../../postgres/catalogue/catalogue.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { sequenceGrant, sequenceNames } from "../../postgres/source/unreadable-sequences.ts";
import { map } from "../../run/memory/iterators.ts";
import { doubtWarnings } from "../fits/doubt-warnings.ts";
import { lostKeyWarnings } from "../lost-keys.ts";
import { type Plan, type PlannedObject, type PlanWarning, withoutText } from "../types.ts";
import { plannedViews, type ViewOutcomes } from "../views.ts";
import type { TargetFacts } from "./columns/scheme.ts";
import { readSrids } from "./columns/spatial-types.ts";
import { objectEntries, sequenceEntries } from "./copy/report.ts";
import { selectedViews, withView } from "./finish/create-views.ts";
import type { Chosen } from "./tables/choose-tables.ts";
import { foreignKeyName, keyOutcome, planForeignKeys } from "./tables/foreign-keys.ts";
import { planAll } from "./tables/plan-tables.ts";
import type { SourceThings } from "./tables/read-source.ts";
import type { SourceSequence } from "./tables/sequences.ts";
import { isKeyless, type Plans, type TablePlan } from "./tables/table-plan.ts";
import { planViews, type Readables, type SourceView, type Viewed } from "./tables/views.ts";

/** What a copy from PostgreSQL to MySQL or MariaDB would make of the source's objects, before any row is read. */

interface Converting {
  session: Session;
  chosen: Chosen;
  things: SourceThings;
}

/** As if every table were new. */
export const readPlanTarget = async (
  session: MysqlSession,
  { exact, database }: Pick<TargetFacts, "exact" | "database">,
  { tables }: Chosen,
): Promise<TargetFacts> => {
  const { maria, version } = session.server;
  const srids = await readSrids(session, tables);
  return { maria, version, exact, database, srids, unsignedZero: false, relations: [], constraints: [] };
};

/** Errors: those of `options.types`. */
export const planTables = ({ session, chosen, things }: Converting, target: TargetFacts, options: CopyOptions) =>
  planAll({ options, version: session.version, all: things.tables }, target, chosen.tables);

/** `keyless`: tables that are made without a primary key. */
export function planCopy(
  converting: Converting,
  target: TargetFacts,
  options: CopyOptions,
): Plan & { keyless: string[] } {
  const { session, chosen, things } = converting;
  const { objects, sequences, views } = things;
  const { scheme, plans } = planTables(converting, target, options);
  const keys = planForeignKeys(scheme, plans);
  const found = noticed(plans);
  const viewed = { scheme, version: session.version, schemas: options.schemas, taken: found.taken };
  const outcomes = viewOutcomes({ ...viewed, exact: target.exact }, views, plans, options);
  const entries = sequenceEntries(sequences, plans.values(), chosen);
  const isWanted = (_: unknown, at: number) => entries[at]?.outcome !== "not_applicable";
  const unread = sequences.filter(isWanted).filter(({ last }) => last === null);
  const planned = [
    ...keys.inventory,
    ...keys.keys.map((key) => ({
      kind: "constraint",
      name: foreignKeyName(key.table.source, key.source),
      outcome: keyOutcome(key),
      ...(key.remarks.length === 0 ? {} : { note: key.remarks.join("; ") }),
      ...(key.name === key.source.name ? {} : { targetName: key.name }),
    })),
    ...objectEntries(objects, chosen).map((entry) => withView(entry, outcomes)),
    ...entries,
  ].map(withoutText);
  return {
    keyless: found.keyless,
    tables: { [Symbol.iterator]: () => map(plans.values(), plannedTable) },
    objects: planned,
    warnings: [
      ...found.doubts,
      ...sequenceWarnings(session, unread),
      ...lostKeyWarnings([...found.lost, ...planned]),
      ...found.alike,
      ...doubleNames(chosen.tables),
    ],
  };
}

const plannedTable = ({ source: { schema, name }, counter, inventory }: TablePlan) => ({
  source: [schema, name] as const,
  counter: counter?.column,
  outcomes: inventory.map(withoutText),
});

/** In one look at the plans. */
function noticed(plans: Plans) {
  const taken: string[] = [];
  const keyless: string[] = [];
  const doubts: PlanWarning[] = [];
  const lost: PlannedObject[] = [];
  const alike: PlanWarning[] = [];
  for (const plan of plans.values()) {
    taken.push(plan.name);
    if (isKeyless(plan)) keyless.push(plan.name);
    doubts.push(...doubtWarnings(plan.name, plan.doubts));
    lost.push(...plan.inventory.filter(({ lostKey }) => lostKey).map(withoutText));
    alike.push(...namesAlike(plan));
  }
  return { taken, keyless, doubts, lost, alike };
}

/** As the copy makes them, but for those that the target's server refuses. */
function viewOutcomes(
  viewed: Viewed,
  views: readonly SourceView[],
  plans: Readables,
  options: CopyOptions,
): ViewOutcomes {
  const skipped: ViewOutcomes = new Map();
  const selected = selectedViews(views, options, skipped);
  return new Map([...skipped, ...plannedViews(planViews(viewed, selected, plans))]);
}

/** Whose values the source's user may not read. */
function sequenceWarnings({ place }: Session, unread: readonly SourceSequence[]): PlanWarning[] {
  if (unread.length === 0) return [];
  const { user } = place.endpoint;
  const which = unread.length === 1 ? "the sequence" : "the sequences";
  return [
    {
      severity: "warning",
      code: "right_missing",
      object: sequenceNames(unread),
      reason: `user ${user} may not read ${which}: the next number is that after the largest that is there`,
      fix: sequenceGrant(unread, user),
    },
  ];
}

/** MySQL does not tell names of columns apart by case. */
const namesAlike = ({ source, columns }: TablePlan): PlanWarning[] =>
  columns.flatMap(({ source: column, name }) => {
    const other = source.columns.find(
      (one) => one.name !== column.name && one.name.toLowerCase() === column.name.toLowerCase(),
    );
    if (other === undefined || name === column.name) return [];
    return {
      severity: "warning",
      code: "names_alike",
      object: `${source.schema}.${source.name}.${column.name}`,
      reason: `MySQL does not tell it from column ${other.name}: it becomes ${name}`,
      fix: "rename one of the two in the source to choose its name",
    };
  });

/** Names of foreign keys are unique in a MySQL database, in a table in PostgreSQL. */
function doubleNames(tables: readonly TableDefinition[]): PlanWarning[] {
  const seen = new Map<string, string>();
  return tables.flatMap((table) =>
    table.foreignKeys.flatMap(({ name }): PlanWarning[] => {
      const other = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), table.name);
      if (other === undefined) return [];
      const reason = `a foreign key of ${other} has the name, and MySQL wants them unique in the database: it gets a suffix`;
      return [{ severity: "note", code: "name_changes", object: `${table.schema}.${table.name} ${name}`, reason }];
    }),
  );
}
