import type mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, error, mysqlAs } from "../../support/engine/mysql-support.ts";

/** A source of one engine that another engine's copy goes on into, or that has a table of the checkpoint's name. */

let my: Database;
let post: Database;
let admin: mysql.Connection;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  [my, post] = await Promise.all([borrowDatabase("mysql", { args: ["--local-infile=1"] }), borrowDatabase("postgres")]);
  admin = await mysqlAs(my.adminUrl);
});
afterAll(async () => {
  await admin?.end();
  await Promise.all([my?.stop(), post?.stop()]);
});

let counter = 0;
/** New databases of one name on both servers. */
async function databases() {
  const name = `own${++counter}`;
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  await inPostgres(post.adminUrl, `CREATE DATABASE ${name}`);
  const url = post.urlOf(name, "admin");
  return {
    mysql: endpoint(my.urlOf(name, "admin"), "mysql"),
    postgres: endpoint(url, "postgres"),
    inMysql: async (sql: string) => {
      const [rows] = await admin.query({ sql: `USE ${name}; ${sql}`, rowsAsArray: true });
      return (rows as unknown[][][])[1] ?? [];
    },
    inPostgres: (sql: string) => inPostgres(url, sql),
  };
}

async function inPostgres(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows as unknown[][];
  } finally {
    await client.end();
  }
}

const run = (source: CopyRequest["source"], target: CopyRequest["target"], options: object = {}) =>
  copy(
    { owner: "owner-1", ownerName: "the test", source, target, options: { jobs: 2, ...options }, reset: false },
    {
      signal: new AbortController().signal,
      progress: () => undefined,
      measured: () => undefined,
      log: () => undefined,
    },
  );

const leftOut = (name: string) => expect.objectContaining({ kind: "table", name, outcome: "not_applicable" });

test("MySQL to PostgreSQL: another copy's table in the source is left out, and a user's is named", async () => {
  const [first, second] = [await databases(), await databases()];
  await first.inPostgres("CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1)");
  const into = await run(first.postgres, second.mysql);
  expect(await second.inMysql("SHOW TABLES")).toHaveLength(2);
  const { report, finish } = await run(second.mysql, second.postgres);
  await finish();
  expect(report.tables).toHaveLength(1);
  expect(report.inventory).toContainEqual(leftOut("_rowferry"));
  await into.finish();

  await second.inMysql("CREATE TABLE _rowferry (mine int)");
  await second.inPostgres(`DROP SCHEMA "${second.mysql.database}" CASCADE`).catch(() => undefined);
  const failed = await error(run(second.mysql, second.postgres));
  expect(failed).toMatchObject({ code: "reserved_name", message: expect.stringContaining("the source database has") });
  expect(await second.inPostgres("SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
});

test("PostgreSQL to MySQL: another copy's table in the source is left out, and a user's is named", async () => {
  const [first, second] = [await databases(), await databases()];
  await first.inPostgres("CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1)");
  const into = await run(first.postgres, second.postgres);
  const { report, finish } = await run(second.postgres, second.mysql);
  await finish();
  expect(report.inventory).toContainEqual(leftOut("public._rowferry"));
  expect(report.inventory.filter(({ name }) => name.includes("_rowferry"))).toHaveLength(1);
  expect(await second.inMysql("SHOW TABLES")).toEqual([["u"]]);

  const third = await databases();
  const again = await run(second.postgres, third.postgres);
  await again.finish();
  expect(again.report.inventory).toContainEqual(leftOut("public._rowferry"));
  await into.finish();

  await first.inPostgres("CREATE TABLE _rowferry (mine int)");
  expect(await error(run(first.postgres, first.mysql))).toMatchObject({
    code: "reserved_name",
    message: expect.stringContaining("the source database has"),
  });
  expect(await first.inMysql("SHOW TABLES")).toEqual([]);
});
