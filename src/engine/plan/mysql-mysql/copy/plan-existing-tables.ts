import { readConditions } from "../../../mysql/catalogue/table-conditions.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { refuseTriggers } from "../../../mysql/target/insert-triggers.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import { refuseMysqlMisfits } from "../../fits/mysql-values.ts";
import { looking } from "../../fits/values.ts";
import { checkPresent, type DataOnlyPlan } from "../tables/data-only.ts";
import { charsetsOf } from "../tables/existing-columns.ts";
import { planDefinition } from "../tables/plan-tables.ts";
import type { TablePlan, TablePlanning } from "../tables/table-plan.ts";
import type { ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import type { SourceTexts } from "./source.ts";

/**
 * Content `data`: how the rows of tables that are not kept come into those that are there, all looked at before the first row is
 * written. Errors: those of refuseTriggers, checkPresent and refuseMysqlMisfits; where nothing was made the fence goes with them.
 */
export async function presentPlans(
  { request, hooks, progress, snapshot, catalogue, fence, writers }: CopyRun,
  planning: TablePlanning,
  source: SourceTexts,
  kept: Pick<ResumedTables, "tables">,
): Promise<Map<string, () => TablePlan>> {
  const fresh = catalogue.tables.filter(({ name }) => !kept.tables.has(name));
  const session = writers[0] as Session;
  const database = planning.targetDatabase;
  const { drop = [] } = request.options;
  const plans: DataOnlyPlan[] = [];
  const check = async () => {
    const names = fresh.map(({ name }) => planning.prefix + name);
    await refuseTriggers(session, database, names);
    const charsets = await charsetsOf(session);
    const conditions = await readConditions(session, database);
    for (const table of fresh) {
      const defined = () => planDefinition(planning, table, source);
      plans.push(await checkPresent(session, database, defined, drop, charsets, conditions));
    }
    await refuseMysqlMisfits(snapshot.readers, planning.database, plans, {
      ...looking(progress, 1),
      log: (message) => hooks.log("info", message),
    });
  };
  await check().catch(giveBack(fence));
  return new Map(plans.map(({ source: { name }, plan }) => [name, plan]));
}
