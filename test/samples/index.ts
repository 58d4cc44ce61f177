import { readdirSync, readFileSync } from "node:fs";
import { rentalTables } from "./rows/rental.ts";
import { shopTables } from "./rows/shop.ts";
import { type Dialect, insertsOf } from "./rows/table.ts";
import { statementsIn } from "./statements.ts";

/**
 * Sample databases for tests, each in an edition for MySQL and one for PostgreSQL (README.md). The editions of the film rental use
 * features of their own server; each edition of the record shop equals a conversion of the other.
 */
export type Sample = "rental" | "shop";

const tablesOf = { rental: rentalTables, shop: shopTables };

/** Files whose name ends in `tables.sql` run before the rows, the others after them. */
function scripts(sample: Sample, dialect: Dialect): { before: string[]; after: string[] } {
  const folder = new URL(`${sample}/${dialect}/`, import.meta.url);
  const names = readdirSync(folder).sort();
  const read = (isTables: boolean) =>
    names
      .filter((name) => name.endsWith("tables.sql") === isTables)
      .map((name) => readFileSync(new URL(name, folder), "utf8"));
  return { before: read(true), after: read(false) };
}

/** Statements for a MySQL driver. Run them in one session, in an empty database. */
export function* mysqlStatements(sample: Sample): Generator<string> {
  const { before, after } = scripts(sample, "mysql");
  for (const script of before) yield* statementsIn(script);
  for (const table of tablesOf[sample]()) yield* insertsOf(table, "mysql");
  for (const script of after) yield* statementsIn(script);
}

/** A script for psql. Run it in an empty database. */
export function postgresScript(sample: Sample): string {
  const { before, after } = scripts(sample, "postgres");
  const rows = tablesOf[sample]().flatMap((table) => [...insertsOf(table, "postgres")]);
  return [...before, `${rows.join(";\n")};`, ...after].join("\n");
}
