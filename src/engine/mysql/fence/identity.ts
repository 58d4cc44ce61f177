import { createHash } from "node:crypto";
import type { MadeObject } from "../../contract/index.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Row, Session } from "../driver/session.ts";
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

const where = (of: string, [database = "", object = ""]: readonly string[]) =>
  `${of}_SCHEMA = ${literal(database)} AND ${of}_NAME = ${literal(object)}`;

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
    WHERE ${where("TABLE", name)} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`;

/** Information_schema's own lists compare names without regard to case: only the exact name counts. */
const exact = (name: readonly string[], rows: readonly Row[]): Row | undefined =>
  rows.find(([found]) => found === name[1]);

function tableFound(name: readonly string[], rows: readonly Row[]): ObjectIdentity | undefined {
  const row = exact(name, rows);
  return row && { id: row[1] ? `created ${row[1]}` : undefined, comment: row[2] ?? "" };
}

interface Listed {
  view: string;
  /** What the names of its columns begin with. */
  of: string;
  /** The text, and the moment that counts where the user may not read the text. */
  facts: string;
}
const code: Listed = { view: "ROUTINES", of: "ROUTINE", facts: "ROUTINE_DEFINITION, CREATED" };
/** By kind, where information_schema lists what is known by its text. */
const listed = new Map<string, Listed>([
  ["view", { view: "VIEWS", of: "TABLE", facts: "VIEW_DEFINITION" }],
  ["trigger", { view: "TRIGGERS", of: "TRIGGER", facts: "ACTION_STATEMENT" }],
  ["event", { view: "EVENTS", of: "EVENT", facts: "EVENT_DEFINITION" }],
  ...["function", "procedure", "package", "package body"].map((kind) => [kind, code] as const),
]);

/** The object of that kind and name in the target, if there is one. */
export async function lookUp(
  session: Session,
  { kind, name }: Pick<MadeObject, "kind" | "name">,
): Promise<ObjectIdentity | undefined> {
  if (kind === "table" || kind === "rows") return tableFound(name, await session.query(`SELECT ${tableFacts(name)}`));
  if (kind === "sequence") {
    const found = await session.query(
      `SELECT TABLE_NAME FROM information_schema.TABLES WHERE ${where("TABLE", name)} AND TABLE_TYPE = 'SEQUENCE'`,
    );
    if (exact(name, found) === undefined) return undefined;
    const [[, shown] = []] = await session.query(`SHOW CREATE SEQUENCE ${qualified(...name)}`);
    return { id: codeId((shown ?? "").replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, "")), comment: "" };
  }
  const known = listed.get(kind);
  if (known === undefined) return undefined;
  const { view, of, facts } = known;
  const and = known === code ? ` AND ROUTINE_TYPE = ${literal(kind.toUpperCase())}` : "";
  const rows = await session.query(
    `SELECT ${of}_NAME, ${facts} FROM information_schema.${view} WHERE ${where(of, name)}${and}`,
  );
  const row = exact(name, rows);
  if (row === undefined) return undefined;
  const [, text, created] = row;
  return { id: text ? codeId(text) : created ? `created ${created}` : undefined, comment: "" };
}

/** The id of a routine, trigger or event with this body, as information_schema shows it. */
export const codeId = (body: string): string => `text ${digest(body)}`;

export const noTable = 1146;

const quotedList = "\\((?:`(?:[^`]|``)*`(?!`)(?:, )?)+\\)";
const foreignKeys = new RegExp(
  `,\\n  CONSTRAINT \`(?:[^\`]|\`\`)*\` FOREIGN KEY ${quotedList} REFERENCES (?:\`(?:[^\`]|\`\`)*\`(?!\`)\\.?)+ ${quotedList}(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|NO ACTION|SET NULL|SET DEFAULT))*(?=[,\\n])`,
  "g",
);

/** The text of SHOW CREATE TABLE up to the options, without foreign keys. */
export const shapeText = (shown: string): string =>
  shown.slice(0, shown.lastIndexOf("\n) ENGINE=") + 1).replace(foreignKeys, "");

/** SHOW CREATE TABLE; undefined: there is none. */
export async function shownTable(session: Session, name: readonly string[]): Promise<string | undefined> {
  try {
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(...name)}`);
    return shown ?? undefined;
  } catch (error) {
    if (errorNumber(error) === noTable) return undefined;
    throw error;
  }
}

/** What a table's columns and keys are, without what the last change of it brings (create-tables.ts): its comment and foreign keys. */
export async function shapeOf(session: Session, name: readonly string[]): Promise<string | undefined> {
  const shown = await shownTable(session, name);
  return shown === undefined ? undefined : digest(shapeText(shown));
}

export const dropStatement = ({ kind, name }: Pick<MadeObject, "kind" | "name">): string | undefined => {
  if (kind === "rows") return `TRUNCATE TABLE ${qualified(...name)}`;
  return kind === "table" || kind === "sequence" || listed.has(kind)
    ? `DROP ${kind.toUpperCase()} ${qualified(...name)}`
    : undefined;
};
