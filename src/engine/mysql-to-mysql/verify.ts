import type { InventoryEntry } from "../contract.ts";
import { batches } from "../memory/packed.ts";
import { among } from "../mysql/among.ts";
import type { SourceTable } from "../mysql/catalogue.ts";
import { readExactBytes } from "../mysql/exact-bytes.ts";
import { readForeignKeys } from "../mysql/foreign-keys.ts";
import { literal, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { compareRules, compareTable } from "./compare.ts";
import type { DoneTable } from "./copy-tables.ts";
import { parseDefinition } from "./definition.ts";
import { withExactBytes } from "./exact-text.ts";
import type { TablePlan } from "./plan.ts";
import type { Target } from "./target.ts";

/** Tables of which the target's catalogue is asked together. */
const together = 500;

/** Entries for all that the target's server made otherwise than asked for, by what it shows now. */
export async function compareAll(
  session: Session,
  target: Target,
  done: ReadonlyMap<string, DoneTable>,
  crossing: boolean,
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const some of batches(done.values(), together))
    entries.push(
      ...(await compareSome(
        session,
        target,
        some.map(({ plan }) => plan),
        crossing,
      )),
    );
  return entries;
}

async function compareSome(
  session: Session,
  { database }: Target,
  plans: readonly TablePlan[],
  crossing: boolean,
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  const made = new Map<string, SourceTable>();
  for (const plan of plans) {
    const columns = plan.source.columns.map((column) => ({ ...column }));
    made.set(plan.name, { ...plan.source, name: plan.name, columns, foreignKeys: [] });
  }
  if (!crossing) await readExactBytes(session, database, made.values());
  await readForeignKeys(session, database, literal(database), made, among("TABLE_NAME", [...made.keys()]));
  for (const plan of plans) {
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, plan.name)}`);
    const { foreignKeys = [], columns = [] } = made.get(plan.name) ?? {};
    const definition = withExactBytes(parseDefinition(shown ?? "", foreignKeys), columns);
    entries.push(...compareTable(plan, definition, crossing), ...compareRules(plan, foreignKeys));
  }
  return entries;
}
