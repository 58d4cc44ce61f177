import { qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { workOff } from "../../../run/pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import { all, type Sessions } from "../copy/sessions.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Rows of each table on both sides: the source's inside the snapshot, the target's as committed. */
export type RowCounts = Map<string, number>;

/** Shares the tables out among the readers, in the order given. */
export async function countSource(
  readers: readonly Reader[],
  database: string,
  tables: readonly string[],
): Promise<RowCounts> {
  const counts: RowCounts = new Map();
  await workOff(
    readers,
    tables.map((table) => ({
      async run(reader) {
        const [[count] = []] = await reader.query(`SELECT COUNT(*) FROM ${sourceQualified(database, table)}`);
        counts.set(table, Number(count));
      },
    })),
  );
  return counts;
}

export async function countTarget(
  sessions: Sessions<Writer>,
  schema: string,
  plans: readonly TablePlan[],
  progress: Pick<ProgressAccount, "did">,
): Promise<RowCounts> {
  const counts: RowCounts = new Map();
  await all(
    plans.map((plan) =>
      sessions.use(async (session) => {
        const [row] = await session.query<{ count: number }>(
          `SELECT count(*) AS count FROM ${qualified(schema, plan.name)}`,
        );
        counts.set(plan.source.name, row?.count ?? -1);
        progress.did();
      }),
    ),
  );
  return counts;
}
