import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { ObservedTypes } from "../columns/observed-types.ts";
import type { TableState } from "../copy/copy-tables.ts";
import { type TablePlan, unverifiedBooleans } from "../tables/table-plan.ts";
import type { Finishing } from "./finishing-run.ts";

/** A TINYINT(1) in which no value says that it is a boolean becomes smallint: there it stays right whatever comes. */
export async function verifyBooleans(
  { sessions, fence, scheme }: Finishing,
  state: TableState,
  observedTypes: ObservedTypes,
  replan: () => TablePlan,
): Promise<void> {
  const columns = unverifiedBooleans(state.plan, state.seen);
  if (columns.length === 0) return;
  for (const column of columns) observedTypes.widen(state.plan.source.name, column.source.name);
  const after = replan();
  const changes = columns.flatMap(({ name }) => {
    const column = after.columns.find((candidate) => candidate.name === name);
    const quoted = `ALTER COLUMN ${identifier(name)}`;
    return [
      `${quoted} DROP DEFAULT`,
      `${quoted} TYPE smallint USING ${identifier(name)}::integer::smallint`,
      ...(column?.default === undefined ? [] : [`${quoted} SET DEFAULT ${column.default}`]),
    ];
  });
  await sessions.use((session) =>
    fenced(session, fence, () =>
      session.run(`ALTER TABLE ${qualified(scheme.schema, state.plan.name)} ${changes.join(", ")}`),
    ),
  );
  state.plan = after;
}
