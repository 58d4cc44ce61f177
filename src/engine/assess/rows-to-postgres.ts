import {
  createRemade,
  createScheme,
  doubtsOf,
  type ExistingTable,
  filledTables,
  othersLeft,
  planDataOnly,
  readThere,
  refuseReferred,
  type TablePlan,
} from "../plan/mysql-postgres/index.ts";
import type { Session } from "../postgres/driver/connection.ts";
import { quietly } from "../postgres/target/data-only.ts";
import { kind } from "../rows/mysql-to-copy/fields.ts";
import { type ConversionOptions, type MysqlSource, schemeWishes } from "./conversions.ts";
import { reportDataOnly } from "./data-only.ts";
import { reportDoubts } from "./doubts.ts";
import { type PlannedObject, type ReportFinding, withoutText } from "./finding.ts";
import { reportRefused } from "./in-the-way.ts";
import { reportStrayBytes } from "./stray-bytes.ts";

/** Rows alone from MySQL into PostgreSQL's tables, by the copy's own plans for tables that are there. */
export async function rowsToPostgres(
  { session, database, maria, version, catalogue }: MysqlSource,
  wishes: ConversionOptions,
  target: Session,
  report: ReportFinding,
): Promise<PlannedObject[]> {
  const { schema, options } = wishes;
  let there = new Map<string, ExistingTable>();
  await reportRefused(report, "the target's tables", async () => {
    there = await readThere(target, schema, catalogue.tables);
  });
  const scheme = createScheme(database, maria, catalogue.tables, [], schemeWishes(wishes, version));
  const remade = createRemade();
  const plans: TablePlan[] = [];
  for (const table of catalogue.tables) {
    const present = there.get(table.name);
    if (present === undefined) continue;
    await reportRefused(report, table.name, () => {
      const plan = remade(() => planDataOnly(scheme, table, present));
      plans.push(plan);
      reportDoubts(table.name, doubtsOf(plan.copied), report);
    });
  }
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
