import { afterAll, beforeAll, expect, test } from "vitest";
import * as mysql from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Generated columns across engines: what the target computes is compared with the source's values, at every verify level. */

let servers: mysql.Servers;

beforeAll(async () => {
  servers = await mysql.startServers("mysql");
});
afterAll(() => servers?.close());

const outcomes = (inventory: { kind: string; name: string; outcome: string; note?: string }[]) =>
  inventory.flatMap(({ kind, name, outcome }) => (kind === "generated column" ? [[name, outcome]] : []));

test("MySQL → PostgreSQL: a generated column that the target computes otherwise gets the source's values, and only that one", async () => {
  const both = await mysql.pair(
    servers,
    `CREATE TABLE t (id INT PRIMARY KEY, d DATE, n INT, y INT AS (YEAR(d)), twice INT AS (n * 2) STORED, KEY byy (y));
     CREATE TABLE keyless (d DATE, n INT, y INT AS (YEAR(d)) STORED);
     CREATE TABLE same_ (id INT PRIMARY KEY, n INT, twice INT AS (n * 2));
     SET sql_mode = '';
     INSERT INTO t (id, d, n) VALUES (1, '2020-05-06', 1), (2, '0000-00-00', 2), (3, NULL, NULL);
     INSERT INTO keyless (d, n) VALUES ('0000-00-00', 1), (NULL, 2);
     INSERT INTO same_ (id, n) VALUES (1, 1), (2, NULL)`,
  );
  const { report, logs } = await run(both, { options: { jobs: 2, verify: "counts" } });
  expect(await mysql.rows(both.pg, "SELECT id, d, n, y, twice FROM t ORDER BY id")).toEqual([
    ["1", "2020-05-06", "1", "2020", "2"],
    ["2", null, "2", "0", "4"],
    ["3", null, null, null, null],
  ]);
  expect(await mysql.rows(both.pg, "SELECT d, n, y FROM keyless ORDER BY n")).toEqual([
    [null, "1", "0"],
    [null, "2", null],
  ]);
  expect(outcomes(report.inventory).sort()).toEqual([
    ["keyless.y", "reported"],
    ["same_.twice", "converted"],
    ["t.twice", "converted"],
    ["t.y", "reported"],
  ]);
  expect(report.inventory.find(({ kind, name }) => kind === "generated column" && name === "t.y")).toMatchObject({
    definition: "year(`d`)",
    note: expect.stringContaining("the target computes other values by it"),
  });
  expect(logs).toContainEqual(
    "warning: table t is copied again with the source's values in the generated column y: the target computes other values by it",
  );
});

test("PostgreSQL → MySQL: a generated column that the target computes otherwise gets the source's values, and only that one", async () => {
  const { source, target, admin } = servers;
  const name = "computed";
  await postgres.inSource(target.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const both = {
    source: mysql.endpoint(target.urlOf(name, "admin"), "postgres"),
    target: mysql.endpoint(source.urlOf(name, "admin"), "mysql"),
  };
  await postgres.inSource(
    target.urlOf(name, "admin"),
    `CREATE TABLE t (id int PRIMARY KEY, n numeric(8,2), m int, less boolean GENERATED ALWAYS AS (n < 5) STORED, known boolean GENERATED ALWAYS AS (m IS NOT NULL) STORED);
     CREATE TABLE keyless (n numeric(8,2), m int, less boolean GENERATED ALWAYS AS (n < 5) STORED);
     INSERT INTO t (id, n, m) VALUES (1, 1, 1), (2, 'NaN', 2), (3, NULL, NULL); INSERT INTO keyless (n, m) VALUES ('NaN', 1), (2, 2)`,
  );
  const { report, logs } = await run(both, { options: { jobs: 2, verify: "counts" } });
  expect(await postgres.rows(admin, `SELECT id, n, m, less, known FROM ${name}.t ORDER BY id`)).toEqual([
    ["1", "1.00", "1", "1", "1"],
    ["2", null, "2", "0", "1"],
    ["3", null, null, null, "0"],
  ]);
  expect(await postgres.rows(admin, `SELECT n, m, less FROM ${name}.keyless ORDER BY m`)).toEqual([
    [null, "1", "0"],
    ["2.00", "2", "1"],
  ]);
  expect(outcomes(report.inventory).sort()).toEqual([
    ["public.keyless.less", "reported"],
    ["public.t.known", "converted"],
    ["public.t.less", "reported"],
  ]);
  expect(logs).toContainEqual(
    "warning: table public.t is copied again with the source's values in the generated column less: the target computes other values by it",
  );
});
