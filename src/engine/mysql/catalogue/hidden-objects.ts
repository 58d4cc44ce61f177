import type { InventoryEntry } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { MysqlError } from "../driver/errors.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { ownAccount, type Rights, readRights, rightsOf } from "./rights.ts";

/** Of a view whose text the server keeps from this user. */
export const unseenText = "its text cannot be seen with the user's rights";

/** What the source's catalogue does not show to this user: the server leaves it out of its lists without an error. */
export interface Unseen {
  kind: "table" | "column" | "trigger" | "event" | "routine";
  /** Qualified; `*` where the names themselves cannot be known. */
  name: string;
  /** What is missing. */
  why: string;
  /** The statement that fixes it. */
  grant: string;
  /** Both, for a report. */
  note: string;
}

export const unseenEntries = (unseen: readonly Unseen[]): InventoryEntry[] =>
  unseen.map(({ kind, name, note }) => ({ kind, name, outcome: "reported", note }));

/** `tables`: the base tables that the user sees. */
export async function findUnseen(session: Session, database: string, tables: readonly string[]): Promise<Unseen[]> {
  const rights = await knownRights(session);
  if (rights === "all") return [];
  const unseen: Unseen[] = [];
  const all = qualified(database, "*").replace("`*`", "*");
  const account = printable(await ownAccount(session));
  const say = (kind: Unseen["kind"], name: string, why: string, right: string) => {
    const grant = `GRANT ${right} TO ${account}`;
    unseen.push({ kind, name, why, grant, note: `${why}: ${grant}` });
  };
  const { maria, version } = session.server;

  if (!rights.onDatabase("SELECT", database)) {
    say(
      "table",
      `${database}.*`,
      "only tables and views that the user has a right of its own on can be seen; there may be others",
      `SELECT ON ${all}`,
    );
    for (const name of await hiddenTables(session, rights, database, tables))
      say("table", `${database}.${name}`, "the user may not read it, so it is not copied", `SELECT ON ${all}`);
  }
  for (const table of tables.filter((name) => !rights.onTable("SELECT", database, name)))
    say(
      "column",
      `${table}.*`,
      "only columns that the user has a right of its own on can be seen and copied",
      `SELECT ON ${qualified(database, table)}`,
    );

  const without = tables.filter((name) => !rights.onTable("TRIGGER", database, name));
  if (without.length > 0) {
    const which =
      without.length === tables.length
        ? ""
        : ` of ${without.slice(0, 20).join(", ")}${without.length > 20 ? " and others" : ""}`;
    say("trigger", `${database}.*`, `triggers${which} cannot be seen`, `TRIGGER ON ${all}`);
  }
  if (!rights.onDatabase("EVENT", database)) say("event", `${database}.*`, "events cannot be seen", `EVENT ON ${all}`);
  const listsRoutines =
    maria || version < 80000
      ? rights.onTable("SELECT", "mysql", "proc")
      : rights.everywhere("SELECT") || rights.everywhere("SHOW_ROUTINE");
  const names = ["EXECUTE", "CREATE ROUTINE", "ALTER ROUTINE", "SHOW CREATE ROUTINE"];
  if (!listsRoutines && !names.some((right) => rights.onDatabase(right, database))) {
    const fix =
      maria || version < 80000 ? "SELECT ON mysql.proc" : version < 80020 ? `EXECUTE ON ${all}` : "SHOW_ROUTINE ON *.*";
    say(
      "routine",
      `${database}.*`,
      "functions and procedures cannot be seen, but for those that the user has a right of its own on",
      fix,
    );
  }
  return unseen;
}

const skipsGrants = 1290;

async function knownRights(session: Session): Promise<Rights | "all"> {
  try {
    return await readRights(session);
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof MysqlError)) throw error;
    // Without grant tables everybody sees all; a server that does not tell (a proxy) proves nothing.
    return error.cause.number === skipsGrants ? "all" : rightsOf([], false);
  }
}

/** InnoDB's own list shows every table to a user with PROCESS. */
async function hiddenTables(
  session: Session,
  rights: Rights,
  database: string,
  seen: readonly string[],
): Promise<string[]> {
  if (!rights.everywhere("PROCESS")) return [];
  const { maria, version } = session.server;
  const list = maria || version < 80000 ? "INNODB_SYS_TABLES" : "INNODB_TABLES";
  const rows = await session.query(
    `SELECT NAME FROM information_schema.${list} WHERE NAME LIKE ${literal(`${fileName(database).replaceAll(/[\\%_]/g, "\\$&")}/%`)}`,
  );
  const known = new Set(seen.map((name) => fileName(name).toLowerCase()));
  const hidden = new Set<string>();
  for (const [path] of rows) {
    const name = (path ?? "").slice((path ?? "").indexOf("/") + 1).replace(/#p#[\s\S]*$/i, "");
    if (!/^(#|fts_[0-9a-f]{16}_)/i.test(name) && !known.has(name.toLowerCase())) hidden.add(name);
  }
  return [...hidden].map((name) =>
    name.replaceAll(/@([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
}

/** As the server names files: other characters than letters, digits and `_` as `@` and four hex digits. */
const fileName = (name: string): string =>
  name.replaceAll(/[^\w]/g, (character) => `@${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
