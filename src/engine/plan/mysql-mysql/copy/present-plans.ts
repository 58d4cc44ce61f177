import type { Session } from "../../../mysql/driver/session.ts";
import { refuseMysqlMisfits } from "../../fits/of-mysql.ts";
import { type Doubt, looking } from "../../fits/values.ts";
import { checkAll } from "../tables/data-only.ts";
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
): Promise<Map<string, TablePlan>> {
  const fresh = catalogue.tables.filter(({ name }) => !kept.tables.has(name));
  const refuse = async (dataOnlyPlans: readonly { plan: TablePlan; doubts: readonly Doubt[] }[]) =>
    void (await refuseMysqlMisfits(
      snapshot.readers,
      planning.database,
      dataOnlyPlans.map(({ plan, doubts }) => ({ source: plan.source, doubts })),
      { ...looking(progress, 1), log: (message) => hooks.log("info", message) },
    ));
  const filled = await checkAll(
    writers[0] as Session,
    fence,
    planning.targetDatabase,
    fresh.map((table) => planDefinition(planning, table, source)),
    request.options.drop ?? [],
    refuse,
  );
  return new Map(filled.map((plan) => [plan.source.name, plan]));
}
