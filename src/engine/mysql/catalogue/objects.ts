import { workOff } from "../../run/pool.ts";
import { MysqlError } from "../driver/errors.ts";
import { among, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/** Views, routines, triggers, events and sequences: what a database has beside its tables, with the source's own text. */
export interface SourceObject {
  kind: "view" | "sequence" | "function" | "procedure" | "package" | "trigger" | "event";
  name: string;
  /** Of a trigger. */
  table?: string;
  view?: SourceView;
  /** The whole CREATE statement (readDefinitions); left out where the user's rights do not show it. */
  definition?: string;
}

interface SourceView {
  /** As the catalogue writes it, names qualified. Empty where the user's rights do not show it. */
  query: string;
  columns: string[];
  checkOption: "NONE" | "LOCAL" | "CASCADED";
  invoker: boolean;
}

/** Also of those whose text the server itself cannot read, which MariaDB tells as tables where more than this is asked. */
export async function readViewNames(session: Session, database: string): Promise<string[]> {
  const rows = await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)} ORDER BY TABLE_NAME`,
  );
  return rows.flatMap(([name, type]) => (type === "VIEW" ? [name ?? ""] : []));
}

/** `all`: names of the views, of which those that `has` leaves out come without what they are. */
export async function readObjects(
  session: Session,
  schema: string,
  all: readonly string[],
  has: (view: string) => boolean,
): Promise<SourceObject[]> {
  const wanted = all.filter(has);
  const onlyThese = (column: string) => (wanted.length === all.length ? "" : among(column, wanted));
  const from = (view: string, column: string) => `FROM information_schema.${view} WHERE ${column} = ${schema}`;
  const [views, columns, routines, triggers, events] = await Promise.all([
    session.query(
      `SELECT TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION, SECURITY_TYPE ${from("VIEWS", "TABLE_SCHEMA")}${onlyThese("TABLE_NAME")}`,
    ),
    session.query(
      `SELECT c.TABLE_NAME, c.COLUMN_NAME FROM information_schema.COLUMNS c JOIN information_schema.VIEWS v
           ON v.TABLE_SCHEMA = c.TABLE_SCHEMA AND v.TABLE_NAME = c.TABLE_NAME
        WHERE c.TABLE_SCHEMA = ${schema}${onlyThese("c.TABLE_NAME")} ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION`,
    ),
    session.query(`SELECT ROUTINE_NAME, ROUTINE_TYPE ${from("ROUTINES", "ROUTINE_SCHEMA")} ORDER BY ROUTINE_NAME`),
    session.query(
      `SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE ${from("TRIGGERS", "TRIGGER_SCHEMA")} ORDER BY TRIGGER_NAME`,
    ),
    session.query(`SELECT EVENT_NAME ${from("EVENTS", "EVENT_SCHEMA")} ORDER BY EVENT_NAME`),
  ]);
  return [
    ...views.map(
      ([name = "", query, check, security]): SourceObject => ({
        kind: "view",
        name: name ?? "",
        view: {
          query: query ?? "",
          columns: columns.flatMap(([view, column]) => (view === name ? [column ?? ""] : [])),
          checkOption: (check ?? "NONE") as SourceView["checkOption"],
          invoker: security === "INVOKER",
        },
      }),
    ),
    ...wanted.flatMap((name): SourceObject[] =>
      views.some(([seen]) => seen === name) ? [] : [{ kind: "view", name, view: unreadable }],
    ),
    ...all.flatMap((name): SourceObject[] => (has(name) ? [] : [{ kind: "view", name }])),
    ...routines.map(
      ([name, type]): SourceObject => ({
        kind: (type ?? "FUNCTION").split(" ")[0]?.toLowerCase() as SourceObject["kind"],
        name: name ?? "",
      }),
    ),
    ...triggers.map(([name, table]): SourceObject => ({ kind: "trigger", name: name ?? "", table: table ?? "" })),
    ...events.map(([name]): SourceObject => ({ kind: "event", name: name ?? "" })),
  ];
}

const unreadable: SourceView = { query: "", columns: [], checkOption: "NONE", invoker: false };

const longestDefinition = 64 * 1024;

/** Asks for the CREATE statements of what is listed, over all sessions at once; what may not be seen stays without. */
export async function readDefinitions(
  sessions: readonly Session[],
  database: string,
  objects: readonly SourceObject[],
): Promise<void> {
  await workOff(
    sessions,
    objects.map((object) => ({
      async run(session) {
        const definition = await showCreate(session, object.kind, database, object.name);
        // MariaDB does not show a view that draws from a sequence to a transaction that only reads; its query is known.
        const text = definition ?? object.view?.query;
        if (text) object.definition = cut(text);
      },
    })),
  );
}

/** Undefined where the user's rights do not show it. At most 64 KB. */
async function showCreate(
  session: Session,
  kind: SourceObject["kind"] | "table",
  database: string,
  name: string,
): Promise<string | undefined> {
  try {
    const what = kind === "package" ? "PACKAGE BODY" : kind.toUpperCase();
    const [row = []] = await session.query(`SHOW CREATE ${what} ${qualified(database, name)}`);
    const text = row.find((value) => /^\s*(CREATE|ALTER)\b/i.test(value ?? "")) ?? undefined;
    return text === undefined ? undefined : cut(text);
  } catch (error) {
    if (error instanceof Error && error.cause instanceof MysqlError) return undefined;
    throw error;
  }
}

const cut = (text: string): string =>
  Buffer.byteLength(text) <= longestDefinition
    ? text
    : Buffer.from(text)
        .subarray(0, longestDefinition)
        .toString("utf8")
        .replace(/(?<!\ufffd)\ufffd+$/, "");
