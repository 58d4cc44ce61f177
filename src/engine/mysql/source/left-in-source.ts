import type { InventoryEntry } from "../../contract/index.ts";
import { leftCheckpoint } from "../../run/fence/leftover-checkpoint.ts";
import type { Catalogue } from "../catalogue/tables.ts";
import type { Session } from "../driver/session.ts";
import { fenceTableName, leftInSource } from "../fence/table.ts";

/** A source that a copy was made into, or still is: that copy's own table is none of the source's. */

/** The catalogue without that table. Errors: `reserved_name` for a user's table of its name, where it is to be copied. */
export async function withoutCheckpoint(
  session: Session,
  database: string,
  whole: Catalogue,
  has: (table: string) => boolean,
): Promise<{ whole: Catalogue; left: InventoryEntry[] }> {
  if (!has(fenceTableName) || !(await leftInSource(session, database))) return { whole, left: [] };
  const tables = whole.tables.filter(({ name }) => name !== fenceTableName);
  return { whole: { ...whole, tables }, left: [leftCheckpoint(fenceTableName)] };
}
