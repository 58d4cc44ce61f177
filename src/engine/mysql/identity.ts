import { createHash } from "node:crypto";
import type { MadeObject } from "../contract.ts";
import { literal, qualified } from "./names.ts";
import type { Session } from "./session.ts";
import { errorNumber } from "./target.ts";

/**
 * By what an object in a MySQL database is known again, since it has no id that every user may read: a table by the moment
 * of its creation (which every rebuild of it changes), code and views by their text. A table that is being filled carries
 * a mark of ours in its comment instead.
 */

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

export interface Found {
  /** As in MadeObject. Undefined where the user may not read what it is made of. */
  id: string | undefined;
  /** Of a table, else empty. */
  comment: string;
}

const where = (schema: string, name: string, [database = "", object = ""]: readonly string[]) =>
  `${schema} = ${literal(database)} AND ${name} = ${literal(object)}`;

/** Information_schema's own lists compare names without regard to case: only the exact name counts. */
async function find(
  session: Session,
  sql: string,
  name: readonly string[],
): Promise<readonly (string | null)[] | undefined> {
  const rows = await session.query(sql);
  return rows.find(([found]) => found === name[1]);
}

/** The object of that kind and name in the target, if there is one. */
export async function lookUp(
  session: Session,
  { kind, name }: Pick<MadeObject, "kind" | "name">,
): Promise<Found | undefined> {
  switch (kind) {
    case "table":
    case "rows": {
      const row = await find(
        session,
        `SELECT TABLE_NAME, CREATE_TIME, TABLE_COMMENT FROM information_schema.TABLES
          WHERE ${where("TABLE_SCHEMA", "TABLE_NAME", name)} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
        name,
      );
      return row && { id: row[1] ? `created ${row[1]}` : undefined, comment: row[2] ?? "" };
    }
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
): Promise<Found | undefined> {
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

/** What a table's columns, keys and options are, without its comment and counter: as they stay when its comment changes. */
export async function shapeOf(session: Session, name: readonly string[]): Promise<string | undefined> {
  try {
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(...name)}`);
    return digest((shown ?? "").slice(0, (shown ?? "").lastIndexOf("\n) ENGINE=")));
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
