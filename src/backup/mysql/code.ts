import type { CodeSettings, SourceCode } from "../../engine/mysql/definitions/code-source.ts";
import { inDatabase, relationsOf, statementOf } from "../../engine/mysql/definitions/code-sql.ts";
import { identifier, literal } from "../../engine/mysql/driver/names.ts";
import type { Server } from "../../engine/mysql/driver/session.ts";
import { goneModes } from "../../engine/plan/mysql-mysql/finish/create-code.ts";
import { databaseStatement } from "./statements.ts";

/** Views, routines, triggers and events of an archive, in an order in which each finds what it needs. Pure. */

interface CodeStatements {
  statements: string[];
  /** Those of which there is no text. */
  left: SourceCode[];
}

interface Known {
  database: string;
  server: Server;
  /** Of each view. */
  columns: ReadonlyMap<string, readonly string[]>;
  /** Views that cannot be read: they come last, since they may stop the mysql client. */
  broken: ReadonlySet<string>;
  /** Of the database, which `1-schema` gives to the target's. */
  default: { charset: string; collation: string };
}

export function codeStatements(
  codes: readonly SourceCode[],
  { database, server, columns, broken, default: now }: Known,
): CodeStatements {
  const left: SourceCode[] = [];
  const made = (code: SourceCode): Made[] => {
    const text = textOf(code, database);
    if (text === undefined) left.push(code);
    return text === undefined ? [] : [{ code, text }];
  };
  const of = (...kinds: SourceCode["kind"][]) =>
    codes.filter(({ kind }) => kinds.includes(kind)).flatMap((code) => made(code));
  const routines = of("package", "package body", "function", "procedure");
  const views = of("view");
  const { ordered, circular } = inOrder(views.filter(({ code }) => !broken.has(code.name)));
  const last = inOrder(views.filter(({ code }) => broken.has(code.name)));
  const inContext = (all: readonly Made[]) =>
    all.flatMap(({ code, text }) => [
      ...(code.context.database === "" ? [] : [databaseOf(code.context.database)]),
      contextStatement(code.context, server),
      text,
    ]);
  const reset = databaseStatement(now.charset, now.collation);
  const statements = [
    ...inContext(routines),
    ...circular.map(({ code: { name } }) => placeholder(name, columns.get(name) ?? [])),
    ...inContext(ordered),
    ...inContext(circular.map(({ code, text }) => ({ code, text: text.replace(/^CREATE /, "CREATE OR REPLACE ") }))),
    ...inContext(of("trigger")),
    ...inContext(of("event")),
    reset,
    ...inContext([...last.ordered, ...last.circular]),
  ];
  return { statements: withoutRepeats(statements, reset), left };
}

/** The server begins a comment there, the mysql client only before white space: it looks for a quote's end in it, or runs a command of its own. */
const otherComment = /--[\u0001-\u0008\u000e-\u001f\u007f]/;

/** Code that the mysql client may not read as the server does: by Rowferry alone it is restored for certain. */
export const unlikeInClient = (codes: readonly SourceCode[]): SourceCode[] =>
  codes.filter(({ shown }) => otherComment.test(shown));

interface Made {
  code: SourceCode;
  text: string;
}

function textOf(code: SourceCode, database: string): string | undefined {
  if (code.shown === "") return undefined;
  const { user, host } = code.definer;
  const definer = `${identifier(user)}${host === "" ? "" : `@${identifier(host)}`}`;
  const wanted = { definer, invoker: false, database, targetDatabase: database, name: identifier(code.name) };
  const text = statementOf(code, wanted);
  return text === undefined || code.kind !== "view" ? text : inDatabase(text, database, undefined);
}

/** Each view after those that it may read. `circular`: what is left over where a name may be read in two ways. */
function inOrder(views: readonly Made[]): { ordered: Made[]; circular: Made[] } {
  const ordered: Made[] = [];
  const needs = new Map(views.map(({ code, text }) => [code.name, relationsOf(text)]));
  let left = [...views];
  for (;;) {
    const waiting = new Set(left.map(({ code }) => code.name));
    const ready = left.filter(({ code: { name } }) =>
      [...(needs.get(name) ?? [])].every((other) => other === name || !waiting.has(other)),
    );
    if (ready.length === 0) return { ordered, circular: left };
    ordered.push(...ready);
    left = left.filter((view) => !ready.includes(view));
  }
}

const placeholder = (name: string, columns: readonly string[]): string =>
  `CREATE VIEW ${identifier(name)} AS SELECT ${columns.map((column) => `1 AS ${identifier(column)}`).join(", ") || "1"}`;

/** What the text was written under. */
function contextStatement({ sqlMode, connection, timeZone }: CodeSettings, { maria }: Server): string {
  const modes = sqlMode.split(",").filter((mode) => maria || !goneModes.has(mode));
  const collation = connection === "" ? "DEFAULT" : literal(connection);
  const zone = literal(timeZone === "" ? "+00:00" : timeZone);
  return `SET SESSION sql_mode = ${literal(modes.join(","))}, SESSION time_zone = ${zone}, SESSION collation_connection = ${collation}`;
}

/** The default that its variables and parameters had. A collation's name begins with its character set's. */
const databaseOf = (collation: string): string => databaseStatement(collation.replace(/_.*/, ""), collation);

/** Without settings that hold already; `database` is what the database has before. */
function withoutRepeats(statements: readonly string[], database: string): string[] {
  const last = new Map([["ALTER DATABASE ", database]]);
  return statements.filter((statement) => {
    const what = ["SET SESSION ", "ALTER DATABASE "].find((start) => statement.startsWith(start));
    if (what === undefined) return true;
    const repeats = statement === last.get(what);
    last.set(what, statement);
    return !repeats;
  });
}
