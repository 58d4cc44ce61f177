import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publicSamplesFolder } from "../../dev/public-samples.ts";
import { publicSamplesNotRun } from "../runner/public-samples.ts";
import { statementsIn } from "../samples/statements.ts";

/** Scripts of the public sample databases, read from a folder outside the repository. */

export function pathOf(name: string): string {
  const folder = publicSamplesFolder();
  if (folder === undefined) throw new Error(publicSamplesNotRun);
  return join(folder, name);
}

const text = (name: string): string => readFileSync(pathOf(name), "utf8");

/** Sakila for an empty database of any name, which must be the session's current one. Needs the SQL mode NO_AUTO_VALUE_ON_ZERO. */
export const sakilaIn = (database: string): string[] =>
  ["schema", "data"]
    .flatMap((part) => statementsIn(text(`sakila-mysql-${part}.sql`)))
    .filter((statement) => !/^\s*(DROP SCHEMA|CREATE SCHEMA|USE)\b/i.test(statement))
    .map((statement) => statement.replaceAll(/\bsakila\b/g, database))
    // The script turns autocommit off.
    .concat("SET autocommit = 1");

export const pagila = (): string => `${text("pagila-postgres-schema.sql")}\n${text("pagila-postgres-data.sql")}`;

/** Without the statements that create and select a database. */
export const chinook = (edition: "mysql" | "postgres"): string =>
  text(`chinook-${edition}.sql`).replaceAll(/^(?:(?:DROP|CREATE) DATABASE|USE|\\c) .*$/gim, "");
