import { EngineError } from "../contract.ts";
import { printable } from "../postgres/names.ts";
import { literal } from "./names.ts";
import type { Session } from "./session.ts";

/** Tables that are named, at most. */
const named = 20;

/** MySQL cannot let rows in without firing triggers. Only reads. Errors: `target_has_triggers`, which would change the rows. */
export async function refuseTriggers(session: Session, database: string, tables: readonly string[]): Promise<void> {
  const triggers = await session.query(
    `SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = ${literal(database)} AND EVENT_MANIPULATION = 'INSERT' ORDER BY EVENT_OBJECT_TABLE, ACTION_ORDER`,
  );
  const found = Map.groupBy(
    triggers.filter(([table]) => tables.includes(table ?? "")),
    ([table]) => table ?? "",
  );
  if (found.size === 0) return;
  const words = [...found].map(([table, all]) => `${table} (${all.map(([, trigger]) => trigger).join(", ")})`);
  const more = words.length > named ? `; and ${words.length - named} more` : "";
  throw new EngineError(
    "target_has_triggers",
    `tables of the target have triggers that would change the rows: ${printable(words.slice(0, named).join("; "))}${more}. Drop these triggers, copy, and make them again; content: schema makes the source's`,
  );
}
