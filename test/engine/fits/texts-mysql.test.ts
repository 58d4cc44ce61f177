import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { error, type Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Texts of PostgreSQL into other types of MySQL that the user named: what the server would read as another value is refused. */

describe.each<Flavour>(["mariadb", "mysql"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("ENUM and SET take their labels alone, as they are written", async () => {
    const source = (values: string) =>
      `CREATE TYPE mood AS ENUM ('x', '2', 'Y'); CREATE TABLE t (id int PRIMARY KEY, e text, s text, m mood, c text COLLATE "C");
       INSERT INTO t VALUES ${values}`;
    const types = {
      "t.e": "enum('x','y','2x')",
      "t.s": "set('a','b','c')",
      "t.m": "enum('x','y')",
      "t.c": "enum('z ','é')",
    };
    const fit = "(1, 'x', 'a,c', 'x', 'é'), (2, '2x', '', NULL, NULL), (3, NULL, NULL, NULL, NULL)";
    const unfit =
      "(4, '2', 'b,a', '2', 'z '), (5, 'y ', 'a,a', 'Y', NULL), (6, '', 'd', 'x', 'e'), (7, 'X', 'a,', NULL, 'z'), (8, 'y', 'b', NULL, NULL)";
    const both = await pair(servers, source(`${fit}, ${unfit}`));
    const failed = await error(run(both, { options: { jobs: 2, types } }));
    expect(failed).toMatchObject({ code: "data_refused", retryable: false });
    for (const [column, values] of Object.entries({ e: 4, s: 4, m: 2, c: 2 }))
      expect(failed.message).toMatch(new RegExp(`table public\\.t, column ${column} \\([^;]*: ${values} value`));
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([]);

    const fitting = await pair(servers, source(fit));
    const { report, copied } = await run(fitting, { options: { jobs: 2, types, verify: "checksum" } });
    expect(report.verification).toMatchObject({ differences: [] });
    expect(await rows(servers.admin, `SELECT e, s, m, c FROM ${fitting.name}.t ORDER BY id`)).toEqual([
      ["x", "a,c", "x", "é"],
      ["2x", "", null, null],
      [null, null, null, null],
    ]);
    await copied.finish();
  });

  test("a text that the target's type writes otherwise is counted by its column", async () => {
    const names = ["i", "d", "f", "y", "x"];
    const types = { "t.i": "int", "t.d": "decimal(10,1)", "t.f": "double", "t.y": "time(1)", "t.x": "datetime" };
    const own = "(1, '7', '-1.5', '0.00001', '09:00:00.5', '2020-01-01 10:00:00'), (2, NULL, NULL, NULL, NULL, NULL)";
    const other =
      "(3, '007', '1.50', '1.0', '12:00', '2020-01-01'), (4, '-0', '-0.0', '01', '9:00:00', '2020-01-01 10:00')";
    const source = (values: string) =>
      `CREATE TABLE t (id int PRIMARY KEY, ${names.map((name) => `${name} text`).join(", ")}); INSERT INTO t VALUES ${values}`;
    const both = await pair(servers, source(`${own}, ${other}`));
    const { report, copied } = await run(both, { options: { jobs: 2, types } });
    const said = report.warnings.filter((words) => words.includes("written otherwise"));
    expect(said).toHaveLength(names.length);
    for (const [at, name] of names.entries())
      expect(said[at]).toMatch(new RegExp(`^column public\\.t\\.${name} \\(.* → .*: 2 texts are written otherwise`));
    expect(report.changed_columns).toBe(names.length);
    await copied.finish();
    const same = await pair(servers, source(own));
    const kept = await run(same, { options: { jobs: 2, types, verify: "checksum" } });
    expect(kept.report).not.toHaveProperty("changed_columns");
    expect(kept.report.verification).toMatchObject({ differences: [] });
    await kept.copied.finish();
  });

  test("characters that a named set lacks, and moments before TIMESTAMP's first, are refused before a row is written", async () => {
    const source = (values: string) =>
      `CREATE TABLE t (id int PRIMARY KEY, a text, b text, z timestamptz, d date); INSERT INTO t VALUES ${values}`;
    const fit =
      "(1, 'a', 'é', '1970-01-01 00:00:01+00', '1970-01-02'), (2, NULL, NULL, 'infinity', NULL), (3, '~', '€', '2038-01-19 03:14:07+00', NULL)";
    const types = {
      "t.a": "varchar(5) character set ascii",
      "t.b": "varchar(5) character set utf8mb3",
      "t.z": "timestamp",
      "t.d": "timestamp",
    };
    const both = await pair(
      servers,
      source(
        `${fit}, (4, 'é', '😀', '1960-01-01 00:00+00', '1970-01-01'), (5, NULL, NULL, '1970-01-01 00:00+00', NULL)`,
      ),
    );
    const failed = await error(run(both, { options: { jobs: 2, types } }));
    expect(failed).toMatchObject({ code: "data_refused", retryable: false });
    for (const [column, values] of Object.entries({ a: 1, b: 1, z: 2, d: 1 }))
      expect(failed.message).toMatch(new RegExp(`table public\\.t, column ${column} \\([^;]*: ${values} value`));
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([]);
    const fitting = await pair(servers, source(fit));
    const { copied } = await run(fitting, { options: { jobs: 2, types } });
    expect(await rows(servers.admin, `SELECT a, b, d FROM ${fitting.name}.t ORDER BY id`)).toEqual([
      ["a", "é", "1970-01-02 00:00:00"],
      [null, null, null],
      ["~", "€", null],
    ]);
    await copied.finish();
  });
});
