import type { SourceForeignKey } from "../../engine/mysql/catalogue.ts";
import { identifier, literal, qualified } from "../../engine/mysql/names.ts";
import type { SourceObject } from "../../engine/mysql/objects.ts";
import type { Context, SourceCode } from "../../engine/mysql-to-mysql/code-source.ts";
import { inDatabase, statementOf } from "../../engine/mysql-to-mysql/code-sql.ts";
import { foreignKeySql } from "../../engine/mysql-to-mysql/foreign-keys.ts";
import { createStatement, type TablePlan } from "../../engine/mysql-to-mysql/plan.ts";
import type { Source } from "../../engine/mysql-to-mysql/source.ts";

/** The SQL of an archive: no statement names the database, so that it can be restored into another. Pure. */

/** Of a session that restores, so that every value and definition means what it meant when it was read. */
export const settings = [
  "SET NAMES utf8mb4",
  "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES', SESSION time_zone = '+00:00', SESSION foreign_key_checks = 0",
];

export function tableStatement(plan: TablePlan, database: string): string {
  const statement = createStatement(plan, database, literal(plan.source.comment));
  const [from, to] = [`CREATE TABLE ${qualified(database, plan.name)} (`, `CREATE TABLE ${identifier(plan.name)} (`];
  return statement.startsWith(from) ? to + statement.slice(from.length) : statement;
}

export const sequenceStatements = ({ sequences }: Pick<Source, "sequences">): string[] =>
  sequences.flatMap(({ name, shown, next, cycles }) => [
    shown.replace(/^CREATE SEQUENCE `(?:[^`]|``)*`/, () => `CREATE SEQUENCE ${identifier(name)}`),
    `DO SETVAL(${identifier(name)}, ${next}, 0, ${cycles})`,
  ]);

/** What is left for after the rows: indexes, then foreign keys. */
export const laterStatements = (plans: readonly TablePlan[], database: string): string[] => [
  ...plans.flatMap(({ name, later }) =>
    later.map((texts) => `ALTER TABLE ${identifier(name)} ${texts.map((text) => `ADD ${text}`).join(", ")}`),
  ),
  ...plans.flatMap((plan) =>
    plan.source.foreignKeys.map((key) => `ALTER TABLE ${identifier(plan.name)} ADD ${keyText(key, plan, database)}`),
  ),
];

function keyText(key: SourceForeignKey, plan: TablePlan, database: string): string {
  const keys = { database, targetDatabase: database, prefix: "", copied: new Set<string>() };
  const text = foreignKeySql(key, plan, keys);
  if (key.referencedSchema !== database) return text;
  const parent = ` REFERENCES ${qualified(database, key.referencedTable)} `;
  const at = text.lastIndexOf(parent);
  return `${text.slice(0, at)} REFERENCES ${identifier(key.referencedTable)} ${text.slice(at + parent.length)}`;
}

/** In an order in which each finds what it needs: a view stands for another until all of them are there. */
export function codeStatements(
  codes: readonly SourceCode[],
  others: readonly SourceObject[],
  database: string,
): { statements: string[]; left: SourceCode[] } {
  const left: SourceCode[] = [];
  const of = (...kinds: SourceCode["kind"][]) => codes.filter(({ kind }) => kinds.includes(kind));
  const made = (code: SourceCode): string[] => {
    const definer = accountOf(code);
    const text = code.shown === "" ? undefined : statementOf(code, { ...wanted(database, definer), name: identifier(code.name) });
    if (text === undefined) left.push(code);
    return text === undefined ? [] : [contextStatement(code.context), code.kind === "view" ? inDatabase(text, database, undefined) : text];
  };
  const columns = new Map(others.flatMap(({ kind, name, view }) => (kind === "view" ? [[name, view?.columns ?? []]] : [])));
  const views = of("view").map((code) => ({ code, text: made(code) }));
  const placeholders = views.flatMap(({ code: { name }, text }) =>
    text.length === 0 ? [] : [`CREATE VIEW ${identifier(name)} AS SELECT ${(columns.get(name) ?? []).map((column) => `1 AS ${identifier(column)}`).join(", ") || "1"}`],
  );
  const statements = [
    ...of("package", "package body", "function", "procedure").flatMap(made),
    ...(views.length === 0 ? [] : [contextStatement(plain)]),
    ...placeholders,
    ...views.flatMap(({ text }) => text.map((one) => one.replace(/^CREATE /, "CREATE OR REPLACE "))),
    ...of("trigger", "event").flatMap(made),
  ];
  return { statements: statements.filter((one, at) => !isContext(one) || one !== lastContext(statements, at)), left };
}

const plain: Context = { sqlMode: "NO_AUTO_VALUE_ON_ZERO", client: "", connection: "", timeZone: "+00:00" };
const isContext = (statement: string) => statement.startsWith("SET SESSION ");

/** The settings before this statement, so that none is written twice. */
const lastContext = (statements: readonly string[], at: number): string | undefined =>
  statements.slice(0, at).findLast(isContext);

const wanted = (database: string, definer: string) => ({ definer, invoker: false, database, targetDatabase: database });

const accountOf = ({ definer: { user, host } }: SourceCode): string =>
  `${identifier(user)}${host === "" ? "" : `@${identifier(host)}`}`;

/** What the text was written under. */
const contextStatement = ({ sqlMode, connection, timeZone }: Context): string =>
  `SET SESSION sql_mode = ${literal(sqlMode)}, SESSION time_zone = ${literal(timeZone === "" ? "+00:00" : timeZone)}, SESSION collation_connection = ${connection === "" ? "DEFAULT" : literal(connection)}`;
