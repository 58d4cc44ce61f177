import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../driver/session.ts";
import { triggersOf } from "../fence/others-work.ts";

/** Tables that are named, at most. */
const named = 20;

/** MySQL cannot let rows in without firing triggers. Only reads. Errors: `target_has_triggers`, which would change the rows. */
export async function refuseTriggers(session: Session, database: string, tables: readonly string[]): Promise<void> {
  const words = await triggersOn(session, database, tables, "EVENT_MANIPULATION = 'INSERT'");
  if (words === undefined) return;
  throw new EngineError(
    "target_has_triggers",
    `tables of the target have triggers that would change the rows: ${words}. Drop these triggers, copy, and make them again; content: schema makes the source's`,
  );
}

/** Of tables that an earlier attempt made and that are kept, with no trigger of the run's on them. Only reads. Errors: `target_changed`. */
export async function refuseOthersTriggers(
  session: Session,
  database: string,
  tables: readonly string[],
): Promise<void> {
  const words = tables.length === 0 ? undefined : await triggersOn(session, database, tables, "TRUE");
  if (words === undefined) return;
  throw new EngineError(
    "target_changed",
    `tables that this run made in the target have triggers that others put on them: ${words}. Drop these triggers and run again, or reset the run, which makes its tables anew`,
  );
}

/** The tables with their triggers in words; undefined for none. */
async function triggersOn(
  session: Session,
  database: string,
  tables: readonly string[],
  which: string,
): Promise<string | undefined> {
  const found = [...(await triggersOf(session, database, which))].filter(([table]) => tables.includes(table));
  if (found.length === 0) return undefined;
  const words = found.map(([table, all]) => `${table} (${all.join(", ")})`);
  const more = words.length > named ? `; and ${words.length - named} more` : "";
  return `${printable(words.slice(0, named).join("; "))}${more}`;
}
