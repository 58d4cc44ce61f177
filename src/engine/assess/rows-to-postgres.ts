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
import { sayDoubts } from "./doubts.ts";
import { type PlannedObject, type Say, withoutText } from "./finding.ts";
import { sayRefused } from "./in-the-way.ts";
import { sayStrayBytes } from "./stray-bytes.ts";

/** Rows alone from MySQL into PostgreSQL's tables, by the copy's own plans for tables that are there. */
export async function rowsToPostgres(
  { session, database, maria, version, catalogue }: MysqlSource,
  wishes: ConversionOptions,
  target: Session,
  say: Say,
): Promise<PlannedObject[]> {
  const { schema, options } = wishes;
  let there = new Map<string, ExistingTable>();
  await sayRefused(say, "the target's tables", async () => {
    there = await readThere(target, schema, catalogue.tables);
  });
  const scheme = createScheme(database, maria, catalogue.tables, [], schemeWishes(wishes, version));
  const remade = createRemade();
  const plans: TablePlan[] = [];
  for (const table of catalogue.tables) {
    const present = there.get(table.name);
    if (present === undefined) continue;
    await sayRefused(say, table.name, () => {
      const plan = remade(() => planDataOnly(scheme, table, present));
      plans.push(plan);
      sayDoubts(table.name, doubtsOf(plan.copied), say);
    });
  }
  const texts = plans.map(({ source: { name, rows }, copied, fields }) => ({
    name,
    rows,
    columns: copied.flatMap(({ source }, at) => (fields[at]?.kind === kind.bytea ? [] : [source])),
  }));
  await sayStrayBytes(session, database, texts, say);
  await sayRefused(say, "the target's rows", async () => {
    const filled = await filledTables(target, schema, plans, options.drop ?? [], () => false);
    await refuseReferred(target, schema, filled);
  });
  const tables = plans.map(({ name }) => ({ schema, name }));
  await reportDataOnly(target, tables, say, () => quietly(target, tables));
  return [...plans.flatMap(({ inventory }) => inventory), ...othersLeft(catalogue.others)].map(withoutText);
}
