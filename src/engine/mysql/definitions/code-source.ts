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
  const found: SourceCode[] = [];
  const add = async (rows: readonly Row[]) => {
    for (const row of rows) {
      const code = codeOf(row);
      found.push({ ...code, ...(await shownBy(session, row[0] ?? "", database, code.name)) });
    }
  };
  /** Rows that begin with the kind, the name and the body. */
  const read = (begin: string, view: string, schema: string, rest: string, order: string) =>
    session.query(
      `SELECT ${begin}, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION${rest}
         FROM information_schema.${view} WHERE ${schema} = ${literal(database)} ORDER BY ${order}`,
    );
  const made = ", SQL_MODE, DATABASE_COLLATION";

  const routineOrder = "ROUTINE_TYPE = 'PACKAGE' DESC, ROUTINE_TYPE = 'PACKAGE BODY' DESC, ROUTINE_TYPE, ROUTINE_NAME";
  await add(
    await read("ROUTINE_TYPE, ROUTINE_NAME, ROUTINE_DEFINITION", "ROUTINES", "ROUTINE_SCHEMA", made, routineOrder),
  );
  const views = await read("'VIEW', TABLE_NAME, VIEW_DEFINITION", "VIEWS", "TABLE_SCHEMA", "", "TABLE_NAME");
  const readable = new Set(views.map(([, name]) => name));
  const others = session.server.maria ? await readViewNames(session, database) : [];
  await add([...views, ...others.filter((name) => !readable.has(name)).map((name) => ["VIEW", name])]);
  const on = "EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION";
  const trigger = `${made}, '', ${on}`;
  await add(
    await read(
      "'TRIGGER', TRIGGER_NAME, ACTION_STATEMENT",
      "TRIGGERS",
      "TRIGGER_SCHEMA",
      trigger,
      `${on}, ACTION_ORDER`,
    ),
  );
  await add(
    await read("'EVENT', EVENT_NAME, EVENT_DEFINITION", "EVENTS", "EVENT_SCHEMA", `${made}, TIME_ZONE`, "EVENT_NAME"),
  );
  return found;
}

function codeOf(row: Row): Omit<SourceCode, keyof Shown> {
  const [type = "", name = "", body = "", definer = "", client = "", connection = "", ...rest] = row.map(
    (cell) => cell ?? "",
  );
  const [sqlMode = "", collation = "", timeZone = "", table = "", timing = "", event = ""] = rest;
  const at = definer.lastIndexOf("@");
  const kind = type.toLowerCase() as SourceCode["kind"];
  return {
    kind,
    name,
    body,
    definer: at < 0 ? { user: definer, host: "" } : splitAccount(definer, at),
    context: { sqlMode, client, connection, timeZone, database: collation },
    ...(kind === "trigger" ? { trigger: { table, timing, event } } : {}),
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
