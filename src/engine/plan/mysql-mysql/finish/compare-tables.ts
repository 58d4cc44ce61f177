import type { InventoryEntry } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { readExactBytes } from "../../../mysql/catalogue/exact-bytes.ts";
import { readForeignKeys } from "../../../mysql/catalogue/foreign-keys.ts";
import { compareRules, compareTable } from "../../../mysql/definitions/compare-definitions.ts";
import { parseDefinition } from "../../../mysql/definitions/definition.ts";
import { withExactBytes } from "../../../mysql/definitions/exact-text.ts";
import { among, literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { batches } from "../../../run/memory/packed.ts";
import type { DoneTable } from "../copy/copy-tables.ts";
import type { TargetDatabase } from "../copy/target.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Tables of which the target's catalogue is asked together. */
const together = 500;

/**
 * Entries for all that the target's server made otherwise than asked for, by what it shows now. `crossing`: MySQL to MariaDB or back.
 * `did` hears of each table.
 */
export async function compareAll(
  session: Session,
  { database }: TargetDatabase,
  done: ReadonlyMap<string, DoneTable>,
  { crossing, did }: { crossing: boolean; did(): void },
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const some of batches(done.values(), together)) await compare(some.map(({ plan }) => plan));
  return entries;

  async function compare(plans: readonly TablePlan[]): Promise<void> {
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
      did();
    }
  }
}
