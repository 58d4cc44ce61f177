import type { EngineError, InventoryEntry } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { isRefusedObject, schemaRefused } from "../../../mysql/target/refusal.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { duplicateKey } from "../../../run/load-error.ts";
import { leniently } from "../columns/row-size.ts";
import { targetName } from "../copy/target.ts";
import { type IndexPlan, indexEntries } from "../tables/indexes.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Builds a table's other indexes when its rows are there. One that is not unique and that the server refuses is reported. */
interface Building {
  session: Session;
  fence: MysqlFence;
  /** `on_object_error: fail`: a refusal ends the run. */
  strict: boolean;
  warn(words: string): void;
}

const duplicate = 1062;

/** Returns the plan without the indexes that were refused. Errors: `duplicate_key`, `schema_refused`. */
export async function buildIndexes(building: Building, plan: TablePlan): Promise<TablePlan> {
  const refused = new Map<IndexPlan, string>();
  const refuse = (index: IndexPlan, why: string) => {
    refused.set(index, why);
    building.warn(`index ${indexName(index)} was not copied: ${why}`);
  };
  await buildPlain(building, plan, refuse);
  await buildFunctional(building, plan, refuse);
  return refused.size === 0 ? plan : withoutIndexes(plan, refused);
}

type Refuse = (index: IndexPlan, why: string) => void;

const indexName = ({ source }: IndexPlan): string => printable(fullName(source.schema, source.name));

/** All in one statement, since each reads the table; one by one when the server refuses any. */
async function buildPlain({ session, fence, strict }: Building, plan: TablePlan, refuse: Refuse): Promise<void> {
  if (plan.later.length === 0) return;
  await fence.guard(session);
  const add = async (indexes: readonly IndexPlan[]) => {
    const adds = indexes.map(({ sql }) => `ADD ${sql}`).join(", ");
    await session.run(`ALTER TABLE ${qualified(...targetName(plan))} ${adds}`).catch((error: EngineError) => {
      const isDoubled = errorNumber(error) === duplicate;
      throw isDoubled ? duplicateKey(tableName(plan.source), error.message, error) : error;
    });
  };
  try {
    await add(plan.later);
    return;
  } catch (error) {
    if (!isRefusedObject(error)) throw error;
  }
  // Keys first, since there is room for only so many.
  for (const index of plan.later.toSorted((a, b) => Number(b.source.unique) - Number(a.source.unique))) {
    try {
      await add([index]);
    } catch (error) {
      if (!isRefusedObject(error)) throw error;
      if (strict || index.source.unique) throw schemaRefused(`index ${indexName(index)}`, error);
      refuse(index, `the target refuses it: ${printable(error.message)}`);
    }
  }
}

/** On expressions, which the server may refuse: each alone. */
async function buildFunctional({ session, fence, strict }: Building, plan: TablePlan, refuse: Refuse): Promise<void> {
  for (const index of plan.functional) {
    await fence.guard(session);
    const add = `ALTER TABLE ${qualified(...targetName(plan))} ADD ${index.sql}`;
    try {
      await leniently(session, plan.wide, () => session.run(add));
    } catch (error) {
      if (!isRefusedObject(error) && errorNumber(error) !== duplicate) throw error;
      if (strict) throw schemaRefused(`index ${indexName(index)}`, error as EngineError);
      refuse(index, `MySQL refuses ${index.sql}: ${printable((error as EngineError).message)}`);
    }
  }
}

function withoutIndexes(plan: TablePlan, refused: ReadonlyMap<IndexPlan, string>): TablePlan {
  const stands = (index: IndexPlan) => !refused.has(index);
  const entries = [...refused].flatMap(([{ source }, reported]) => indexEntries(plan.source, source, { reported }));
  const isNew = ({ kind, name }: InventoryEntry) => entries.some((one) => one.kind === kind && one.name === name);
  return {
    ...plan,
    indexes: plan.indexes.filter(stands),
    later: plan.later.filter(stands),
    functional: plan.functional.filter(stands),
    inventory: [...plan.inventory.filter((entry) => !isNew(entry)), ...entries],
  };
}
