import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import * as toMysql from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Translated expressions that the target refuses where they stand: the table is made without them, and the report says so. */

let servers: Servers | undefined;

describe("an expression of a table", () => {
  beforeAll(async () => {
    servers = await startServers("mysql");
  });
  afterAll(async () => servers?.close());

  test("that PostgreSQL refuses is reported with its text; the values and the other expressions are there", async () => {
    const { source, target, pg } = await pair(
      servers as Servers,
      `CREATE TABLE parts (i int, g int AS (i + 1) STORED, other int AS (i * 2) STORED, d int DEFAULT (1 + 2), PRIMARY KEY (i, g))
         PARTITION BY RANGE COLUMNS (g) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (MAXVALUE));
       INSERT INTO parts (i) VALUES (1), (12);
       CREATE TABLE whole (i int PRIMARY KEY, g int AS (i + 1) STORED); INSERT INTO whole (i) VALUES (5)`,
    );
    const { report } = await run({ source, target });
    const of = (kind: string, name: string) => report.inventory.find((one) => one.kind === kind && one.name === name);
    expect(of("generated column", "parts.g")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(/plain column .* PostgreSQL refuses its translation: cannot use generated column/),
      definition: "(`i` + 1)",
    });
    for (const name of ["parts.other", "whole.g"])
      expect(of("generated column", name)?.outcome, name).toBe("converted");
    await pg.query("INSERT INTO parts (i, g) VALUES (20, 30)");
    expect((await pg.query("SELECT i, g, other, d FROM parts ORDER BY i")).rows).toEqual([
      { i: "1", g: "2", other: "2", d: "3" },
      { i: "12", g: "13", other: "24", d: "3" },
      { i: "20", g: "30", other: "40", d: "3" },
    ]);
  });

  test("that draws a fresh UUID or bytes as a default does so in PostgreSQL", async () => {
    const { source, target, pg } = await pair(
      servers as Servers,
      `CREATE TABLE u (i int PRIMARY KEY, a char(36) NOT NULL DEFAULT (uuid()), b binary(16) NOT NULL DEFAULT (uuid_to_bin(uuid())), c varbinary(4) DEFAULT (x'00FF'));
       INSERT INTO u (i) VALUES (1)`,
    );
    const { report } = await run({ source, target });
    expect(report.inventory.filter(({ kind }) => kind === "default")).toEqual([]);
    await pg.query("INSERT INTO u (i) VALUES (2), (3)");
    const { rows } = await pg.query("SELECT a, length(b) AS b, c FROM u");
    expect(new Set(rows.map(({ a }) => a)).size).toBe(3);
    for (const row of rows) expect(row).toEqual({ a: expect.stringMatching(/^[0-9a-f-]{36}$/), b: "16", c: "\\x00ff" });
  });
});

describe.each<Flavour>(["mysql", "mariadb"])("a column of %s that is shown otherwise than it is held", (flavour) => {
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(async () => servers?.close());

  test("has the same generated values and views in PostgreSQL, or they are reported", async () => {
    const { source, target, pg } = await pair(
      servers as Servers,
      `SET sql_mode = ''; CREATE TABLE z (i int(6) zerofill PRIMARY KEY, n decimal(8,2) zerofill, s varchar(9), vb varbinary(10), b5 binary(5), t int,
         y varchar(20) AS (concat(i, 'x')) STORED, yn varchar(20) AS (concat(n, 'x')) STORED, twice int AS (i * 2) STORED,
         small tinyint AS (i * 2), above int unsigned AS (t - 5), paid decimal(9,2) unsigned AS (n - 1), wide double, d double(10,2) AS (wide) STORED,
         g char(10) AS (s) STORED, bi binary(5) AS (vb) STORED, same binary(5) AS (b5) STORED, v varbinary(9) AS (b5) STORED);
       INSERT INTO z (i, n, s, vb, b5, t) VALUES (42, 1.5, 'aé ', x'FF', x'00', 3), (1234567, 0, 'b', x'', x'FF', 9);
       SET sql_mode = DEFAULT;
       CREATE VIEW shown AS SELECT concat(i, 'x') AS x FROM z;
       CREATE VIEW held AS SELECT i, n FROM z;
       CREATE VIEW on_held AS SELECT concat(n, 'x') AS x FROM held`,
    );
    const { report } = await run({ source, target });
    const of = new Map(report.inventory.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));
    for (const name of ["y", "yn", "bi", "d"]) expect(of.get(`generated column z.${name}`), name).toBe("reported");
    for (const name of ["twice", "small", "above", "paid", "g", "same", "v"])
      expect(of.get(`generated column z.${name}`), name).toBe("converted");
    expect([of.get("view shown"), of.get("view held"), of.get("view on_held")]).toEqual([
      "reported",
      "converted",
      "reported",
    ]);
    const { rows } = await pg.query("SELECT y, yn, twice, small, above, paid, g, bi, same, v FROM z ORDER BY i");
    expect(rows).toEqual([
      {
        y: "000042x",
        yn: "000001.50x",
        twice: "84",
        small: "84",
        above: "0",
        paid: "0.50",
        g: "aé",
        bi: "\\xff00000000",
        same: "\\x0000000000",
        v: "\\x0000000000",
      },
      {
        y: "1234567x",
        yn: "000000.00x",
        twice: "2469134",
        small: "127",
        above: "4",
        paid: "0.00",
        g: "b",
        bi: "\\x0000000000",
        same: "\\xff00000000",
        v: "\\xff00000000",
      },
    ]);
  });
});

describe.each<Flavour>(["mysql", "mariadb"])("an expression of PostgreSQL's table", (flavour) => {
  let others: toMysql.Servers;
  beforeAll(async () => {
    others = await toMysql.startServers(flavour);
  });
  afterAll(() => others?.close());

  test(`that ${flavour} refuses is reported with its text; the values are there, and so is the rest`, async () => {
    const both = await toMysql.pair(
      others,
      `CREATE TABLE counted (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int, last int GENERATED ALWAYS AS (id % 10) STORED);
       INSERT INTO counted (n) SELECT g FROM generate_series(1, 12) g;
       CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES counted ON DELETE SET NULL CHECK (parent > 0), t text CHECK (t <> 'x'));
       INSERT INTO child VALUES (1, 12, 'y')`,
    );
    const { report } = await run(both);
    const last = report.inventory.find(({ kind }) => kind === "generated column");
    if (last?.outcome === "reported")
      expect(last).toMatchObject({ note: expect.stringMatching(/refuses/), definition: '("id" % 10)' });
    expect(await toMysql.rows(others.admin, `SELECT id, n, last FROM ${both.name}.counted WHERE id > 9`)).toEqual([
      ["10", "10", "0"],
      ["11", "11", "1"],
      ["12", "12", "2"],
    ]);
    const checks = report.inventory.filter(
      ({ kind, name }) => kind === "constraint" && name.startsWith("public.child"),
    );
    expect(checks.filter(({ outcome, note }) => outcome === "reported" && note === undefined)).toEqual([]);
    await expect(others.admin.query(`INSERT INTO ${both.name}.child VALUES (2, NULL, 'x')`)).rejects.toThrow(/check/i);
  });
});
