import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { referencesTo } from "../fence/drop.ts";

/** What of a target is in the way of names that a copy gives. */

/** Tables that are dropped must not leave another's foreign key without what it refers to. */
export async function refuseReferences(session: Session, database: string, dropped: readonly string[]): Promise<void> {
  if (dropped.length === 0) return;
  const isDropped = (table: string) => dropped.includes(table);
  const others = await referencesTo(session, database, isDropped, (of, table) => of === database && isDropped(table));
  if (others.length === 0) return;
  const words = others.slice(0, 5).map(({ schema, table, referenced }) => `${referenced} (by ${schema}.${table})`);
  throw new EngineError(
    "dependents_exist",
    `tables that the option drop names are referred to by foreign keys of other tables: ${printable(words.join(", "))}`,
  );
}

/** Objects of the target that are called as `others`, but for triggers of tables that go. */
export async function codeInTheWay(
  session: Session,
  database: string,
  others: readonly { kind: string; name: string }[],
  going: ReadonlySet<string>,
): Promise<string[]> {
  if (others.length === 0) return [];
  const schema = literal(database);
  const rows = await session.query(
    `SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME, NULL FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema}
     UNION ALL SELECT 'trigger', TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ${schema}
     UNION ALL SELECT 'event', EVENT_NAME, NULL FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${schema}`,
  );
  const wanted = new Set(others.map(({ kind, name }) => `${kind} ${name.toLowerCase()}`));
  return rows
    .filter(([, , table]) => !going.has(table ?? ""))
    .filter(([kind, name]) => wanted.has(`${kind} ${(name ?? "").toLowerCase()}`))
    .map(([kind, name]) => `${kind} ${printable(name ?? "")}`);
}
