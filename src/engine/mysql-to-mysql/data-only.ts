import { EngineError } from "../contract.ts";
import { isNamed } from "../drop.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { literal, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { printable } from "../postgres/names.ts";
import { isNumbered, type TablePlan } from "./plan.ts";

/**
 * Rows alone, into a table that is there. Errors: `target_table_missing`, `target_columns_missing`, `schema_differs`; `target_has_triggers`,
 * which would change the rows; `target_not_empty`, where the options do not say that it may be emptied.
 */
export async function usePresent(
  session: Session,
  fence: MysqlFence,
  database: string,
  plan: TablePlan,
  drop: readonly string[],
): Promise<void> {
  const { name } = plan;
  const table = qualified(database, name);
  const words = printable(name);
  const here = `TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(name)}`;
  const columns = await session.query(`SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE ${here}`);
  if (columns.length === 0)
    throw new EngineError(
      "target_table_missing",
      `the target has no table ${words}, whose rows were to be copied: make it, or leave out the option content`,
    );
  const there = new Set(columns.map(([column]) => (column ?? "").toLowerCase()));
  const missing = plan.columns.filter((column) => !there.has(column.name.toLowerCase()));
  if (missing.length > 0)
    throw new EngineError(
      "target_columns_missing",
      `table ${words} of the target lacks the columns ${printable(missing.map((column) => column.name).join(", "))}`,
    );
  const types = new Map(columns.map(([column, type]) => [(column ?? "").toLowerCase(), type]));
  const other = plan.source.columns.filter(
    (column) => isNumbered(column) && types.get(column.name.toLowerCase()) !== column.columnType,
  );
  if (other.length > 0)
    throw new EngineError(
      "schema_differs",
      `table ${words} of the target has other labels in the columns ${printable(other.map((column) => column.name).join(", "))}, whose values are copied by number since one of them is empty: give it the source's list`,
    );
  const triggers = await session.query(
    `SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ${literal(database)}
        AND EVENT_OBJECT_TABLE = ${literal(name)} AND EVENT_MANIPULATION = 'INSERT'`,
  );
  if (triggers.length > 0)
    throw new EngineError(
      "target_has_triggers",
      `table ${words} of the target has triggers that would change the rows (${printable(triggers.map(([trigger]) => trigger).join(", "))}): drop them, copy, and make them again`,
    );
  await fence.guard(session);
  await fence.record(session, [{ kind: "rows", name: [database, name] }]);
  const [row] = await session.query(`SELECT 1 FROM ${table} LIMIT 1`);
  if (row !== undefined) {
    if (!isNamed(drop, database, name))
      throw new EngineError(
        "target_not_empty",
        `table ${words} of the target has rows: empty it, or name it in the option drop to have it emptied`,
      );
    await fence.guard(session);
    await session.run(`TRUNCATE TABLE ${table}`);
  }
  await fence.identify(session);
}
