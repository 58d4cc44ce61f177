import type { InventoryEntry } from "../../contract/index.ts";
import type { KnownEntry } from "../../contract/known.ts";
import type { Catalogue } from "../../mysql/catalogue/catalogue.ts";
import { readDefinitions } from "../../mysql/catalogue/objects.ts";
import type { Session as MysqlSession } from "../../mysql/driver/session.ts";
import type { Session as PostgresSession } from "../../postgres/driver/connection.ts";
import { map } from "../../run/memory/iterators.ts";
import { doubtWarnings } from "../fits/doubt-warnings.ts";
import { lostKeyWarnings } from "../lost-keys.ts";
import { type Plan, type PlannedTable, type PlanWarning, withoutText } from "../types.ts";
import { plannedViews } from "../views.ts";
import { checkEntry } from "./columns/checks.ts";
import type { Scheme } from "./columns/column-plan.ts";
import { othersReported, readAsUtcWarnings, withoutPostgis } from "./copy/report.ts";
import { plannedGrants } from "./finish/grants.ts";
import { planForeignKeys } from "./tables/foreign-keys.ts";
import { doubtfulIndexes } from "./tables/indexes.ts";
import { planSource } from "./tables/plan-tables.ts";
import { type MysqlSource, type PlanOptions, schemeFor } from "./tables/scheme.ts";
import { doubtsOf, type TablePlan } from "./tables/table-plan.ts";
import { planViews } from "./tables/views.ts";

/** What a copy from MySQL or MariaDB to PostgreSQL would make of the source's objects, before any row is read. */

/** `target`: its roles decide what becomes of rights; without it they are left out. */
export async function planCopy(
  source: MysqlSource,
  wishes: PlanOptions,
  target?: Pick<PostgresSession, "query">,
): Promise<Plan> {
  const { session, database, catalogue } = source;
  const scheme = schemeFor(source, wishes);
  const { plan, sequences } = await planSource(source, scheme, { observed: wishes.observedTypes });
  const plans = catalogue.tables.map(({ name }) => plan(name));
  const keys = planForeignKeys(scheme, new Map(plans.map((plan) => [plan.source.name, plan])));
  return {
    tables: { [Symbol.iterator]: () => map(plans, (plan) => plannedTable(database, plan)) },
    objects: [
      ...keys.inventory,
      ...keys.keys.map(({ table, source: key }) => ({
        kind: "foreign key",
        name: `${table.source.name}.${key.name}`,
        outcome: "converted" as const,
      })),
      ...sequences,
      ...(await plannedOthers(session, scheme, catalogue.others, plans)),
      ...(target === undefined ? [] : await plannedGrants(session, target, plans, scheme)),
    ].map(withoutText),
    warnings: warningsOf(scheme, plans, keys.inventory),
  };
}

function plannedTable(database: string, { source, inventory, checks }: TablePlan): PlannedTable {
  const isLost = (column: string) =>
    inventory.some(({ kind, name }) => kind === "default" && name === `${source.name}.${column}`);
  const counter = source.columns.find(({ name, extra }) => extra.includes("auto_increment") && !isLost(name));
  const made = checks.map((check) => checkEntry(source.name, check, "converted"));
  return {
    source: [database, source.name],
    counter: counter?.name,
    outcomes: [...inventory, ...made].map(withoutText),
  };
}

function warningsOf(scheme: Scheme, plans: readonly TablePlan[], keys: readonly KnownEntry[]): PlanWarning[] {
  return [
    ...plans.flatMap(({ source, copied }) => doubtWarnings(source.name, doubtsOf(copied))),
    ...readAsUtcWarnings(plans),
    ...plans.flatMap(({ inventory }) => lostKeyWarnings(inventory)),
    ...lostKeyWarnings(keys),
    ...withoutPostgis(scheme.postgis, plans).map(
      (reason): PlanWarning => ({
        ...{ severity: "warning", code: "no_postgis", object: "postgis", reason },
        fix: "CREATE EXTENSION postgis in the target database",
      }),
    ),
    ...doubtfulIndexes(plans).map(
      (doubt): PlanWarning => ({
        ...{ severity: "warning", code: "index_too_long", ...doubt },
        fix: "shorten the values, or index a part of the column",
      }),
    ),
    ...plans.flatMap(periodWarnings),
  ];
}

/** MariaDB's rows of the past, its periods, and its keys that keep these apart. */
function periodWarnings({ source: table, inventory }: TablePlan): PlanWarning[] {
  const keys = new Set(
    table.indexes.flatMap(({ name, period }) => (period === undefined ? [] : [`${table.name}.${name}`])),
  );
  const warnings = inventory.flatMap(({ kind, name, outcome, note = "", lostKey }): PlanWarning[] => {
    if (outcome !== "reported" || lostKey || !(kind === "period" || (kind === "index" && keys.has(name)))) return [];
    const fix = "see the report's text of it";
    return [{ severity: "warning", code: "not_carried_over", object: `${kind} ${name}`, reason: note, fix }];
  });
  if (table.versioned)
    warnings.push({
      severity: "warning",
      code: "history_lost",
      object: table.name,
      reason: "PostgreSQL has no system versioning: present rows only",
      fix: "copy the history by a query of your own",
    });
  return warnings;
}

async function plannedOthers(
  session: MysqlSession,
  scheme: Scheme,
  others: Catalogue["others"],
  tables: readonly TablePlan[],
): Promise<InventoryEntry[]> {
  await readDefinitions([session], scheme.database, others);
  return othersReported(others, plannedViews(planViews(scheme, others, tables)));
}
