import type pg from "pg";
import { expect } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { rows } from "./mysql-support.ts";

/** Ignores case, underscores and quotes in names. */
const plain = (text: string | null) => text?.replaceAll(/[_"]|public\./g, "").toLowerCase() ?? null;

const types = `SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
  WHERE attnum > 0 AND NOT attisdropped AND relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_rowferry'`;
const keys = `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
  WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace AND conrelid::regclass::text !~ 'rowferry'`;
const indexes = `SELECT tablename, regexp_replace(indexdef, '.* USING ', '') FROM pg_indexes
  WHERE schemaname = 'public' AND tablename !~ 'rowferry'`;

/** A copy from MySQL equals the database's PostgreSQL edition: types, keys, indexes, rows. `written` normalizes values of both. */
export async function expectEdition(
  copy: pg.Client,
  edition: pg.Client,
  report: CopyReport,
  written = (value: string) => value,
): Promise<void> {
  for (const sql of [types, keys, indexes]) {
    const shape = async (client: pg.Client) =>
      (await rows(client, sql)).map((row) => row.map((text) => plain(text)?.replace("(0)", "")).join(" ")).sort();
    expect(await shape(copy)).toEqual(await shape(edition));
  }
  const tables = await rows(edition, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  expect(tables).toHaveLength(report.tables.length);
  for (const [table = ""] of tables) {
    const name = report.tables
      .find(({ source }) => plain(source)?.split(".")[1] === plain(table))
      ?.target.split(".")[1];
    const all = async (client: pg.Client, from: string) =>
      (await rows(client, `SELECT * FROM public."${from}"`))
        .map((row) => JSON.stringify(row.map((value) => (value === null ? null : written(value)))))
        .sort();
    expect(await all(copy, name ?? ""), table ?? "").toEqual(await all(edition, table ?? ""));
  }
}
