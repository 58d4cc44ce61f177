import type { Session } from "../../../mysql/driver/session.ts";
import { refuseMysqlMisfits } from "../../fits/of-mysql.ts";
import { looking } from "../../fits/values.ts";
import { checkAll, type DataOnlyPlan } from "../tables/data-only.ts";
import { planDefinition } from "../tables/plan-tables.ts";
import type { TablePlan, TablePlanning } from "../tables/table-plan.ts";
import type { ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import type { SourceTexts } from "./source.ts";

/** Content `data`: how the rows of tables that are not kept come into those that are there. */
export async function presentPlans(
  { request, hooks, progress, snapshot, catalogue, fence, writers }: CopyRun,
  planning: TablePlanning,
  source: SourceTexts,
  kept: Pick<ResumedTables, "tables">,
): Promise<Map<string, () => TablePlan>> {
  const fresh = catalogue.tables.filter(({ name }) => !kept.tables.has(name));
  const refuse = async (dataOnlyPlans: readonly DataOnlyPlan[]) =>
    void (await refuseMysqlMisfits(snapshot.readers, planning.database, dataOnlyPlans, {
      ...looking(progress, 1),
      log: (message) => hooks.log("info", message),
    }));
  const filled = await checkAll(
    writers[0] as Session,
    fence,
    planning.targetDatabase,
    fresh.map((table) => () => planDefinition(planning, table, source)),
    request.options.drop ?? [],
    refuse,
  );
  return new Map(filled.map(({ source: { name }, plan }) => [name, plan]));
}
