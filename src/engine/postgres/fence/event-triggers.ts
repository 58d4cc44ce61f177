import type { MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../driver/connection.ts";
import { serverMessage, sqlState } from "../driver/errors.ts";
import { identifier, literal } from "../driver/names.ts";

/**
 * The source's event triggers would run at the run's own statements: an audit would write rows that no source has, a
 * guard would refuse the removal of `_rowferry`. So they are made disabled, marked in `_rowferry`, and enabled by the
 * transaction that drops it. Commands on event triggers fire none.
 */

interface EventTrigger {
  oid: number;
  name: string;
  /** pg_event_trigger.evtenabled: O, D, R or A. */
  state: string;
}

const catalog = 3466;
const prefix = "event trigger:";
const markOf = ({ oid, state }: EventTrigger) => `${prefix}${oid}:${state}`;

/** Tells marks of this file from those of finished parts, by the column `name`. */
export const isHeldMark = `pg_catalog.starts_with(name, ${literal(prefix)})`;

const readEventTriggers = (session: Session): Promise<EventTrigger[]> =>
  session.query<EventTrigger>(
    "SELECT oid::int8 AS oid, evtname AS name, evtenabled::text AS state FROM pg_catalog.pg_event_trigger",
  );

/** Disables those that are not, in the open transaction. Answers the marks of what they were. */
async function disable(session: Session, triggers: readonly EventTrigger[]): Promise<string[]> {
  const live = triggers.filter(({ state }) => state !== "D");
  for (const { name } of live) await session.run(`ALTER EVENT TRIGGER ${identifier(name)} DISABLE`);
  return live.map(markOf);
}

/** Runs `work`, which makes event triggers of these names, in the open transaction; answers the marks of those that it made. */
export async function madeDisabled(
  session: Session,
  names: ReadonlySet<string>,
  work: () => Promise<void>,
): Promise<string[]> {
  const before = new Set((await readEventTriggers(session)).map(({ oid }) => oid));
  await work();
  const made = (await readEventTriggers(session)).filter(({ oid, name }) => !before.has(oid) && names.has(name));
  return disable(session, made);
}

/** Disables, in the open transaction, those of a finished run that still have the name and the id of its list. Answers their marks. */
export async function disableMade(session: Session, made: readonly MadeObject[]): Promise<string[]> {
  const ours = new Map(made.flatMap(({ kind, name, id }) => (kind === "event trigger" ? [[id, name[0]]] : [])));
  if (ours.size === 0) return [];
  return disable(
    session,
    (await readEventTriggers(session)).filter(({ oid, name }) => ours.get(`${catalog}:${oid}`) === name),
  );
}

const enabling = new Map([
  ["O", "ENABLE"],
  ["R", "ENABLE REPLICA"],
  ["A", "ENABLE ALWAYS"],
]);

/** The oids and states of what a run holds disabled, by the fence's table `table` (quoted). */
export async function readHeld(
  session: Session,
  { table, owner }: { table: string; owner: string },
): Promise<Map<number, string>> {
  const rows = await session.query<{ name: string }>(
    `SELECT name FROM ${table} WHERE kind = 'part' AND owner = $1 AND ${isHeldMark} ORDER BY id`,
    [owner],
  );
  return new Map(
    rows.map(({ name }) => {
      const [oid, state = ""] = name.slice(prefix.length).split(":");
      return [Number(oid), state];
    }),
  );
}

/** Gives those that are still there their state back, last in the open transaction. `warn` hears of one that may not be altered. */
export async function enableHeld(
  session: Session,
  held: ReadonlyMap<number, string>,
  warn: (message: string) => void,
): Promise<void> {
  if (held.size === 0) return;
  for (const { oid, name, state } of await readEventTriggers(session)) {
    const action = enabling.get(held.get(oid) ?? "");
    if (state !== "D" || action === undefined) continue;
    const statement = `ALTER EVENT TRIGGER ${identifier(name)} ${action}`;
    try {
      await session.run(`SAVEPOINT enabling; ${statement}; RELEASE SAVEPOINT enabling`);
    } catch (error) {
      // Others took it over meanwhile.
      if (sqlState(error) !== "42501") throw error;
      await session.run("ROLLBACK TO SAVEPOINT enabling; RELEASE SAVEPOINT enabling");
      warn(`event trigger ${printable(name)} stays disabled (${serverMessage(error)}): ${printable(statement)}`);
    }
  }
}
