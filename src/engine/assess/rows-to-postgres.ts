import { doubtWarnings } from "../plan/fits/doubt-warnings.ts";
import {
  doubtsOf,
  type ExistingTable,
  filledTables,
  type MysqlSource,
  othersLeft,
  type PlanOptions,
  planSource,
  readAsUtcWarnings,
  readThere,
  refuseReferred,
  schemeFor,
  type TablePlan,
} from "../plan/mysql-postgres/index.ts";
import { type PlannedObject, withoutText } from "../plan/types.ts";
import type { Session } from "../postgres/driver/connection.ts";
import { quietly } from "../postgres/target/data-only.ts";
import { kind } from "../rows/mysql-to-copy/fields.ts";
import { reportDataOnly } from "./data-only.ts";
import { type ReportFinding, reportWarnings } from "./finding.ts";
import { reportRefused } from "./name-conflicts.ts";
import { reportStrayBytes } from "./stray-bytes.ts";

/** Rows alone from MySQL into PostgreSQL's tables, by the copy's own plans for tables that are there. */
export async function rowsToPostgres(
  source: MysqlSource,
  wishes: PlanOptions,
  target: Session,
  report: ReportFinding,
): Promise<PlannedObject[]> {
  const { session, database, catalogue } = source;
  const { schema, options } = wishes;
  let there = new Map<string, ExistingTable>();
  await reportRefused(report, "the target's tables", async () => {
    there = await readThere(target, schema, catalogue.tables);
  });
  const scheme = schemeFor(source, wishes);
  const { plan: planOf } = await planSource(source, scheme, { there });
  const plans: TablePlan[] = [];
  for (const table of catalogue.tables) {
    if (!there.has(table.name)) continue;
    await reportRefused(report, table.name, () => {
      const plan = planOf(table.name);
      plans.push(plan);
      reportWarnings(doubtWarnings(table.name, doubtsOf(plan.copied)), report);
    });
  }
  reportWarnings(readAsUtcWarnings(plans), report);
  const texts = plans.map(({ source: { name, rows }, copied, fields }) => ({
    name,
    rows,
    columns: copied.flatMap(({ source }, at) => (fields[at]?.kind === kind.bytea ? [] : [source])),
  }));
  await reportStrayBytes(session, database, texts, report);
  await reportRefused(report, "the target's rows", async () => {
    const filled = await filledTables(target, schema, plans, options.drop ?? [], () => false);
    await refuseReferred(target, schema, filled);
  });
  const tables = plans.map(({ name }) => ({ schema, name }));
  await reportDataOnly(target, tables, report, () => quietly(target, tables));
  return [...plans.flatMap(({ inventory }) => inventory), ...othersLeft(catalogue.others)].map(withoutText);
}
