import { isRefusal, serverMessage } from "../../../postgres/driver/errors.ts";
import { columnKey } from "../columns/column-plan.ts";
import type { Planned } from "../tables/plan-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { CreateTable } from "./target.ts";

/** Makes a table without the translated expressions that the target refuses; these are reported, and the run goes on. */

/** Errors: the first refusal, where no expression is its cause. The plan without them takes the place of the first one in `plans`. */
export const withFallback =
  ({ scheme, plans, plan: replan }: Pick<Planned, "scheme" | "plans" | "plan">): CreateTable =>
  async (session, plan, make) => {
    const refusal = async (one: TablePlan): Promise<unknown> => {
      await session.run("SAVEPOINT fallback");
      try {
        await make(one);
        return undefined;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await session.run("ROLLBACK TO SAVEPOINT fallback");
        return error;
      } finally {
        await session.run("RELEASE SAVEPOINT fallback").catch(() => undefined);
      }
    };
    const first = await refusal(plan);
    if (first === undefined) return;
    const { name } = plan.source;
    const doubted = plan.columns.flatMap(({ source, translated }) =>
      translated === true ? [columnKey(name, source.name)] : [],
    );
    for (const keys of [...doubted.map((key) => [key]), doubted]) {
      for (const key of keys) scheme.refused.set(key, serverMessage(first));
      const other = replan(name);
      if (keys.length > 0 && (await refusal(other)) === undefined) {
        plans[plans.indexOf(plan)] = other;
        return;
      }
      for (const key of keys) scheme.refused.delete(key);
    }
    throw first;
  };
