import { createHash } from "node:crypto";
import type { MadeObject } from "../../contract/index.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";

/**
 * By what an object in a MySQL database is known again, since it has no id that every user may read: a table by the moment
 * of its creation (which every rebuild of it changes), code and views by their text. A table that is being filled carries
 * a mark of ours in its comment instead.
 */

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

export interface ObjectIdentity {
  /** As in MadeObject. Undefined where the user may not read what it is made of. */
  id: string | undefined;
  /** Of a table, else empty. */
  comment: string;
}

const where = (schema: string, name: string, [database = "", object = ""]: readonly string[]) =>
  `${schema} = ${literal(database)} AND ${name} = ${literal(object)}`;

async function find(
  session: Session,
  sql: string,
  name: readonly string[],
): Promise<readonly (string | null)[] | undefined> {
  const rows = await session.query(sql);
  return rows.find(([found]) => found === name[1]);
}

/** Tables asked about in one statement. */
const asked = 50;

/** As `lookUp` for many tables: answers in their order. */
export async function lookUpTables(
  session: Session,
  names: readonly (readonly string[])[],
): Promise<(ObjectIdentity | undefined)[]> {
  const found: (ObjectIdentity | undefined)[] = [];
  for (let at = 0; at < names.length; at += asked) {
    const some = names.slice(at, at + asked);
    // Each by itself: for a list of names MariaDB opens every table of the database.
    const rows = await session.query(
      some.map((name, index) => `SELECT ${index}, ${tableFacts(name)}`).join(" UNION ALL "),
    );
    found.push(
      ...some.map((name, index) =>
        tableFound(
          name,
          rows.flatMap(([of, ...row]) => (Number(of) === index ? [row] : [])),
        ),
      ),
    );
  }
  return found;
}

const tableFacts = (name: readonly string[]) =>
  `TABLE_NAME, CREATE_TIME, TABLE_COMMENT FROM information_schema.TABLES
    WHERE ${where("TABLE_SCHEMA", "TABLE_NAME", name)} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`;

/** Information_schema's own lists compare names without regard to case: only the exact name counts. */
function tableFound(
  name: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): ObjectIdentity | undefined {
  const row = rows.find(([found]) => found === name[1]);
  return row && { id: row[1] ? `created ${row[1]}` : undefined, comment: row[2] ?? "" };
}

/** The object of that kind and name in the target, if there is one. */
export async function lookUp(
  session: Session,
  { kind, name }: Pick<MadeObject, "kind" | "name">,
): Promise<ObjectIdentity | undefined> {
  switch (kind) {
    case "table":
    case "rows":
      return tableFound(name, await session.query(`SELECT ${tableFacts(name)}`));
    case "view": {
      const row = await find(
        session,
        `SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE ${where("TABLE_SCHEMA", "TABLE_NAME", name)}`,
        name,
      );
      return row && { id: row[1] ? `text ${digest(row[1])}` : undefined, comment: "" };
    }
    case "sequence": {
      const row = await find(
        session,
        `SELECT TABLE_NAME FROM information_schema.TABLES
          WHERE ${where("TABLE_SCHEMA", "TABLE_NAME", name)} AND TABLE_TYPE = 'SEQUENCE'`,
        name,
      );
      if (row === undefined) return undefined;
      const [[, shown] = []] = await session.query(`SHOW CREATE SEQUENCE ${qualified(...name)}`);
      return { id: `text ${digest((shown ?? "").replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, ""))}`, comment: "" };
    }
    case "trigger":
      return code(session, "ACTION_STATEMENT", "TRIGGERS", "TRIGGER_SCHEMA", "TRIGGER_NAME", name);
    case "event":
      return code(session, "EVENT_DEFINITION", "EVENTS", "EVENT_SCHEMA", "EVENT_NAME", name);
    case "function":
    case "procedure":
    case "package":
    case "package body": {
      const and = ` AND ROUTINE_TYPE = ${literal(kind.toUpperCase())}`;
      const found = await code(session, "ROUTINE_DEFINITION", "ROUTINES", "ROUTINE_SCHEMA", "ROUTINE_NAME", name, and);
      if (found === undefined || found.id !== undefined) return found;
      // Without the right to read the text there is the moment.
      const row = await find(
        session,
        `SELECT ROUTINE_NAME, CREATED FROM information_schema.ROUTINES WHERE ${where("ROUTINE_SCHEMA", "ROUTINE_NAME", name)}${and}`,
        name,
      );
      return { id: row?.[1] ? `created ${row[1]}` : undefined, comment: "" };
    }
    default:
      return undefined;
  }
}

async function code(
  session: Session,
  text: string,
  view: string,
  schema: string,
  column: string,
  name: readonly string[],
  and = "",
): Promise<ObjectIdentity | undefined> {
  const row = await find(
    session,
    `SELECT ${column}, ${text} FROM information_schema.${view} WHERE ${where(schema, column, name)}${and}`,
    name,
  );
  return row && { id: row[1] ? codeId(row[1]) : undefined, comment: "" };
}

/** The id of a routine, trigger or event with this body, as information_schema shows it. */
export const codeId = (body: string): string => `text ${digest(body)}`;

const noTable = 1146;

const quotedList = "\\((?:`(?:[^`]|``)*`(?!`)(?:, )?)+\\)";
const foreignKeys = new RegExp(
  `,\\n  CONSTRAINT \`(?:[^\`]|\`\`)*\` FOREIGN KEY ${quotedList} REFERENCES (?:\`(?:[^\`]|\`\`)*\`(?!\`)\\.?)+ ${quotedList}(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|NO ACTION|SET NULL|SET DEFAULT))*(?=[,\\n])`,
  "g",
);

/** The text of SHOW CREATE TABLE up to the options, without foreign keys. */
export const shapeText = (shown: string): string =>
  shown.slice(0, shown.lastIndexOf("\n) ENGINE=") + 1).replace(foreignKeys, "");

/** What a table's columns and keys are, without what the last change of it brings (create-tables.ts): its comment and foreign keys. */
export async function shapeOf(session: Session, name: readonly string[]): Promise<string | undefined> {
  try {
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(...name)}`);
    return digest(shapeText(shown ?? ""));
  } catch (error) {
    if (errorNumber(error) === noTable) return undefined;
    throw error;
  }
}

export const dropStatement = ({ kind, name }: Pick<MadeObject, "kind" | "name">): string | undefined => {
  switch (kind) {
    case "table":
    case "view":
    case "sequence":
    case "trigger":
    case "event":
    case "function":
    case "procedure":
    case "package":
    case "package body":
      return `DROP ${kind.toUpperCase()} ${qualified(...name)}`;
    case "rows":
      return `TRUNCATE TABLE ${qualified(...name)}`;
    default:
      return undefined;
  }
};
