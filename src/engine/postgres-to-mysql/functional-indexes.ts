import { EngineError, type InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { errorNumber } from "../mysql/target.ts";
import { printable } from "../postgres/names.ts";
import { type IndexPlan, indexEntries } from "./indexes.ts";
import type { TablePlan } from "./plan.ts";
import { nameOf } from "./target.ts";
import { leniently } from "./wide.ts";

/** Builds a table's indexes on expressions when its rows are there, each alone: the server may refuse one. */

/** Answers those that are refused, by name, with the reason. */
export async function buildFunctional(
  session: Session,
  fence: MysqlFence,
  plan: TablePlan,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  for (const index of plan.functional) {
    await fence.guard(session);
    const add = `ALTER TABLE ${qualified(...nameOf(plan))} ADD ${index.sql}`;
    try {
      await leniently(session, plan.wide, () => session.run(add));
    } catch (error) {
      if (!(error instanceof EngineError) || !refusals.has(errorNumber(error) ?? 0)) throw error;
      refused.set(index.name, `MySQL refuses ${index.sql}: ${printable(error.message)}`);
    }
  }
  return refused;
}

/**
 * What the server says of an expression in a key: long texts, lengths, functions, syntax, values that have no result, and
 * values that it does not tell apart.
 */
const refusals = new Set(
  [1062, 1064, 1071, 1117, 1118, 1267, 1292, 1305, 1365, 1406, 1411, 1690].concat([
    3751, 3752, 3753, 3754, 3756, 3757, 3758, 3759, 3760, 3761, 3762, 3763, 3764, 3770, 3907,
  ]),
);

/** The plan without those, which it reports. */
export function withoutIndexes(plan: TablePlan, refused: ReadonlyMap<string, string>): TablePlan {
  const stands = ({ name }: IndexPlan) => !refused.has(name);
  const entries = plan.indexes.flatMap(({ name, source }) => {
    const reported = refused.get(name);
    return reported === undefined ? [] : indexEntries(plan.source, source, { reported });
  });
  const isNew = ({ kind, name }: InventoryEntry) => entries.some((one) => one.kind === kind && one.name === name);
  return {
    ...plan,
    indexes: plan.indexes.filter(stands),
    functional: plan.functional.filter(stands),
    inventory: [...plan.inventory.filter((entry) => !isNew(entry)), ...entries],
  };
}
