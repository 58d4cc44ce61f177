import type mysql from "mysql2/promise";
import { expect } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { rows } from "./postgres-mysql-support.ts";

/** Ignores case and underscores in names, fractional digits, integer widths, and RESTRICT versus NO ACTION. */
const comparable = (found: (string | null)[][]): string[] =>
  found
    .map((row) =>
      row
        .map((value) =>
          (value ?? "")
            .replaceAll("_", "")
            .toLowerCase()
            .replace(/^(datetime|int)\(\d+\)$/, "$1")
            .replace(/^(?:restrict|no action)$/, "none"),
        )
        .join(" "),
    )
    .sort();

const shapes: ((database: string) => string)[] = [
  (database) =>
    `SELECT TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME <> '_rowferry'`,
  (database) =>
    `SELECT k.TABLE_NAME, k.COLUMN_NAME, k.ORDINAL_POSITION, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UPDATE_RULE, r.DELETE_RULE
       FROM information_schema.KEY_COLUMN_USAGE k LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
      WHERE k.TABLE_SCHEMA = '${database}' AND k.TABLE_NAME <> '_rowferry'`,
  (database) =>
    `SELECT DISTINCT TABLE_NAME, COLUMN_NAME, SEQ_IN_INDEX, NON_UNIQUE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME <> '_rowferry'`,
];

const plain = (name: string) => name.replaceAll("_", "").toLowerCase();

/** A copy from PostgreSQL equals the database's MySQL edition: columns, keys, indexes, rows. `written` normalizes values of both. */
export async function expectEdition(
  admin: mysql.Connection,
  copy: string,
  edition: string,
  report: CopyReport,
  written = (value: string) => value,
): Promise<void> {
  const tables = (await rows(
    admin,
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${edition}' AND TABLE_TYPE = 'BASE TABLE'`,
  )) as [string][];
  expect(tables).toHaveLength(report.tables.length);
  for (const [table] of tables) {
    const name =
      report.tables.find(({ source }) => plain(source) === `public.${plain(table)}`)?.target.split(".")[1] ?? "";
    const all = async (database: string, from: string) =>
      (await rows(admin, `SELECT * FROM \`${database}\`.\`${from}\``))
        .map((row) => JSON.stringify(row.map((value) => (value === null ? null : written(value)))))
        .sort();
    expect(await all(copy, name), table).toEqual(await all(edition, table));
  }
  for (const sql of shapes) {
    expect(comparable(await rows(admin, sql(copy)))).toEqual(comparable(await rows(admin, sql(edition))));
  }
}
