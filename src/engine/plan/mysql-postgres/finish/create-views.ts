import { counted } from "../../../../guard/text.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { MysqlError } from "../../../mysql/driver/errors.ts";
import { qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { isRefusal, serverMessage } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { workOff } from "../../../run/pool.ts";
import {
  countPostgresView,
  DifferentRows,
  isSmall,
  makeViews,
  mostTimeouts,
  quickMysqlRows,
  type ViewOutcomes,
} from "../../views.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { planViews } from "../tables/views.ts";
import type { RowCounts } from "./counts.ts";
import type { Finishing } from "./finishing-run.ts";

/** Views in PostgreSQL, whose rows are counted before they are committed. */

/** The rows that translated views show in the source's snapshot; those that are not counted are left out. */
export async function countViews(
  readers: readonly Reader[],
  scheme: Finishing["scheme"],
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  rows: RowCounts,
): Promise<RowCounts> {
  const counts: RowCounts = new Map();
  let timeouts = 0;
  const small = planViews(scheme, others, tables).plans.filter((view) => isSmall(view, rows));
  await workOff(
    readers,
    small.map((view) => ({
      async run(reader) {
        if (timeouts >= mostTimeouts) return;
        const { name } = view.source;
        const count = await countView(reader, sourceQualified(scheme.database, name));
        if (count === "slow") timeouts++;
        else if (count !== undefined) counts.set(name, count);
      },
    })),
  );
  return counts;
}

/** Undefined where the rights of the view's definer do not do. */
async function countView(reader: Reader, view: string): Promise<number | "slow" | undefined> {
  try {
    const rows = await quickMysqlRows(reader, `COUNT(*) FROM ${view}`);
    return rows === undefined ? "slow" : Number(rows[0]?.[0]);
  } catch (error) {
    if (!(error instanceof Error) || !(error.cause instanceof MysqlError)) throw error;
    return undefined;
  }
}

export const createViews = (
  { sessions, fence, scheme, strict, warn, progress }: Finishing,
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  counts: RowCounts,
): Promise<ViewOutcomes> =>
  sessions.use((session) =>
    makeViews({
      plan: async (broken) => planViews(scheme, others, tables, broken),
      async make({ source: { name: source, shown }, name, sql }) {
        const rights = shown?.invoker ? " WITH (security_invoker = true)" : "";
        const check =
          shown === undefined || shown.checkOption === "NONE" ? "" : ` WITH ${shown.checkOption} CHECK OPTION`;
        const expected = counts.get(source);
        const view = qualified(scheme.schema, name);
        let rows: number | undefined;
        await fenced(session, fence, async () => {
          await fence.record(session, [{ kind: "view", name: [scheme.schema, name] }]);
          await session.run(`CREATE VIEW ${view}${rights} AS ${sql}${check}`);
          if (expected !== undefined) rows = await countPostgresView(session, view);
          if (rows !== undefined && rows !== expected)
            throw new DifferentRows(`not made: it shows ${counted(rows, "row")}, and ${expected} in the source`);
        });
        return rows;
      },
      refusal: (error) => (isRefusal(error) ? serverMessage(error) : undefined),
      refuser: "PostgreSQL",
      ...{ strict, warn },
      did: () => progress.did(),
    }),
  );
