import { literal, qualified } from "../mysql/names.ts";
import type { Row, Session } from "../mysql/session.ts";
import { errorNumber } from "../mysql/target.ts";

/** Views, routines, triggers and events of the source, with what their text means there: sql_mode, character sets, time zone. */
export interface SourceCode {
  kind: "view" | "function" | "procedure" | "package" | "package body" | "trigger" | "event";
  name: string;
  /** The source's own statement; empty where the user may not see it. */
  shown: string;
  /** As information_schema has it; may show `?` for characters of four bytes. */
  body: string;
  definer: { user: string; host: string };
  context: Context;
  /** Of a trigger. */
  trigger?: { table: string; timing: string; event: string };
}

/** Session settings that the text was written under. Empty values: as they are. */
export interface Context {
  sqlMode: string;
  client: string;
  connection: string;
  timeZone: string;
}

/** In the order in which they are best made. */
export async function readCode(session: Session, database: string): Promise<SourceCode[]> {
  const schema = literal(database);
  const found: SourceCode[] = [];
  const add = async (code: Omit<SourceCode, "shown">, what: string) =>
    found.push({ ...code, shown: await shownBy(session, what, database, code.name) });

  for (const [name, type, body, definer, sqlMode, client, connection] of await session.query(
    `SELECT ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION
       FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema}
      ORDER BY ROUTINE_TYPE = 'PACKAGE' DESC, ROUTINE_TYPE = 'PACKAGE BODY' DESC, ROUTINE_TYPE, ROUTINE_NAME`,
  )) {
    const kind = (type ?? "").toLowerCase() as SourceCode["kind"];
    await add(code(kind, name, body, definer, { sqlMode, client, connection }), type ?? "");
  }
  for (const [name, body, definer, client, connection] of await session.query(
    `SELECT TABLE_NAME, VIEW_DEFINITION, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION
       FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ${schema} ORDER BY TABLE_NAME`,
  ))
    await add(code("view", name, body, definer, { sqlMode: null, client, connection }), "VIEW");
  for (const row of await session.query(
    `SELECT TRIGGER_NAME, ACTION_STATEMENT, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION,
            EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION
       FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ${schema}
      ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER`,
  )) {
    const [name, body, definer, sqlMode, client, connection, table, timing, event] = row;
    const trigger = { table: table ?? "", timing: timing ?? "", event: event ?? "" };
    await add({ ...code("trigger", name, body, definer, { sqlMode, client, connection }), trigger }, "TRIGGER");
  }
  for (const [name, body, definer, sqlMode, client, connection, zone] of await session.query(
    `SELECT EVENT_NAME, EVENT_DEFINITION, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, TIME_ZONE
       FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${schema} ORDER BY EVENT_NAME`,
  )) {
    const one = code("event", name, body, definer, { sqlMode, client, connection });
    await add({ ...one, context: { ...one.context, timeZone: zone ?? "" } }, "EVENT");
  }
  return found;
}

type Cell = Row[number] | undefined;

function code(
  kind: SourceCode["kind"],
  name: Cell,
  body: Cell,
  definer: Cell,
  { sqlMode, client, connection }: { sqlMode: Cell; client: Cell; connection: Cell },
): Omit<SourceCode, "shown"> {
  const at = (definer ?? "").lastIndexOf("@");
  return {
    kind,
    name: name ?? "",
    body: body ?? "",
    definer: at < 0 ? { user: definer ?? "", host: "" } : splitAccount(definer ?? "", at),
    context: { sqlMode: sqlMode ?? "", client: client ?? "", connection: connection ?? "", timeZone: "" },
  };
}

const splitAccount = (definer: string, at: number) => ({ user: definer.slice(0, at), host: definer.slice(at + 1) });

async function shownBy(session: Session, what: string, database: string, name: string): Promise<string> {
  try {
    const [row = []] = await session.query(`SHOW CREATE ${what} ${qualified(database, name)}`);
    return row.find((value) => /^\s*CREATE\b/i.test(value ?? "")) ?? "";
  } catch (error) {
    // Not allowed, or broken in the source itself.
    if (errorNumber(error) === undefined) throw error;
    return "";
  }
}
