import { readViewNames } from "../catalogue/objects.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Row, Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";
import { piecesOf } from "./definition.ts";

/** Views, routines, triggers and events of the source, with what their text means there: sql_mode, character sets, time zone. */
export interface SourceCode {
  kind: "view" | "function" | "procedure" | "package" | "package body" | "trigger" | "event";
  name: string;
  /** The source's own statement; empty where the user may not see it, or it is not known for sure. */
  shown: string;
  /** What of the text is not known, or why it is empty if not for want of rights: a sentence of a report. */
  doubt?: string;
  /** As information_schema has it; may show `?` for characters of four bytes. */
  body: string;
  definer: { user: string; host: string };
  context: CodeSettings;
  /** Of a trigger. */
  trigger?: { table: string; timing: string; event: string };
}

/** Session settings that the text was written under. Empty values: as they are. */
export interface CodeSettings {
  sqlMode: string;
  client: string;
  connection: string;
  timeZone: string;
  /** The collation of its database when it was made, which its variables and parameters have. */
  database: string;
}

/** In the order in which they are best made. */
export async function readCode(session: Session, database: string): Promise<SourceCode[]> {
  const schema = literal(database);
  const found: SourceCode[] = [];
  const add = async (code: Omit<SourceCode, keyof Shown>, what: string) =>
    found.push({ ...code, ...(await shownBy(session, what, database, code.name)) });

  for (const [name, type, body, definer, sqlMode, client, connection, of] of await session.query(
    `SELECT ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, DATABASE_COLLATION
       FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema}
      ORDER BY ROUTINE_TYPE = 'PACKAGE' DESC, ROUTINE_TYPE = 'PACKAGE BODY' DESC, ROUTINE_TYPE, ROUTINE_NAME`,
  )) {
    const kind = (type ?? "").toLowerCase() as SourceCode["kind"];
    await add(code(kind, name, body, definer, { sqlMode, client, connection, of }), type ?? "");
  }
  const views = await session.query(
    `SELECT TABLE_NAME, VIEW_DEFINITION, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION
       FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ${schema} ORDER BY TABLE_NAME`,
  );
  const readable = new Set(views.map(([name]) => name));
  const others = session.server.maria ? await readViewNames(session, database) : [];
  for (const name of others) if (!readable.has(name)) views.push([name, "", "", "", ""]);
  for (const [name, body, definer, client, connection] of views)
    await add(code("view", name, body, definer, { sqlMode: null, client, connection, of: null }), "VIEW");
  for (const row of await session.query(
    `SELECT TRIGGER_NAME, ACTION_STATEMENT, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION,
            EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, DATABASE_COLLATION
       FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ${schema}
      ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER`,
  )) {
    const [name, body, definer, sqlMode, client, connection, table, timing, event, of] = row;
    const trigger = { table: table ?? "", timing: timing ?? "", event: event ?? "" };
    await add({ ...code("trigger", name, body, definer, { sqlMode, client, connection, of }), trigger }, "TRIGGER");
  }
  for (const [name, body, definer, sqlMode, client, connection, zone, of] of await session.query(
    `SELECT EVENT_NAME, EVENT_DEFINITION, DEFINER, SQL_MODE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, TIME_ZONE, DATABASE_COLLATION
       FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${schema} ORDER BY EVENT_NAME`,
  )) {
    const one = code("event", name, body, definer, { sqlMode, client, connection, of });
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
  { sqlMode, client, connection, of }: { sqlMode: Cell; client: Cell; connection: Cell; of: Cell },
): Omit<SourceCode, keyof Shown> {
  const at = (definer ?? "").lastIndexOf("@");
  return {
    kind,
    name: name ?? "",
    body: body ?? "",
    definer: at < 0 ? { user: definer ?? "", host: "" } : splitAccount(definer ?? "", at),
    context: {
      sqlMode: sqlMode ?? "",
      client: client ?? "",
      connection: connection ?? "",
      timeZone: "",
      database: of ?? "",
    },
  };
}

const splitAccount = (definer: string, at: number) => ({ user: definer.slice(0, at), host: definer.slice(at + 1) });

type Shown = Pick<SourceCode, "shown" | "doubt">;

async function shownBy(session: Session, what: string, database: string, name: string): Promise<Shown> {
  try {
    const [row = []] = await session.query(`SHOW CREATE ${what} ${qualified(database, name)}`);
    return { shown: row.find((value) => /^\s*CREATE\b/i.test(value ?? "")) ?? "" };
  } catch (error) {
    if (errorNumber(error) === onlyReads && what === "VIEW") return viewByParts(session, database, name);
    // Not allowed, or broken in the source itself.
    if (errorNumber(error) === undefined) throw error;
    return { shown: "" };
  }
}

/** To show a view that draws from a sequence MariaDB opens that for writing, which a transaction that only reads may not. */
const onlyReads = 1792;

const byParts = "it draws from a sequence, so that MariaDB tells its text in information_schema alone";
const lettersCut = `${byParts}, where ? may stand for a letter of four bytes: make it from SHOW CREATE VIEW`;
const setsLost = `${byParts}, where texts are without their character sets (_latin1'a' is 'a'): a text that had one has that of the connection`;

/** Whether there is a text, before which MariaDB has left out what set it is of; hex and bits are none. */
const hasTexts = (body: string): boolean =>
  piecesOf(body).some(
    ({ quoted, text }, at, all) => quoted && text.startsWith("'") && !/\b[xb]$/i.test(all[at - 1]?.text ?? ""),
  );

/** The statement by what the catalogue tells of it. */
async function viewByParts(session: Session, database: string, name: string): Promise<Shown> {
  const [[body, check, definer, security, algorithm] = []] = await session.query(
    `SELECT VIEW_DEFINITION, CHECK_OPTION, DEFINER, SECURITY_TYPE, ALGORITHM FROM information_schema.VIEWS
      WHERE TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(name)}`,
  );
  if (!body) return { shown: "" };
  if (body.includes("?")) return { shown: "", doubt: lettersCut };
  const { user, host } = splitAccount(definer ?? "", (definer ?? "").lastIndexOf("@"));
  const checked = check === "NONE" ? "" : ` WITH ${check} CHECK OPTION`;
  const shown = `CREATE ALGORITHM=${algorithm} DEFINER=${identifier(user)}@${identifier(host)} SQL SECURITY ${security} VIEW ${identifier(name)} AS ${body}${checked}`;
  return hasTexts(body) ? { shown, doubt: setsLost } : { shown };
}
