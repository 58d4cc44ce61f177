import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, rows as inTarget, reader } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** What PostgreSQL divides with a fraction MySQL does not divide without one; and what cannot be divided ends no copy. */

let servers: Servers;

describe.each<Flavour>(["mysql", "mariadb"])("with %s", (flavour) => {
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(async () => servers?.close());

  test("whole numbers that PostgreSQL makes numeric have their fractions in columns, views, checks and indexes", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (i int PRIMARY KEY, cents int, d date, big bigint,
         eur numeric(10,2) GENERATED ALWAYS AS (cents::numeric / 100) STORED,
         wide numeric(40,0) GENERATED ALWAYS AS (big::numeric * big) STORED,
         half numeric(10,1) GENERATED ALWAYS AS (EXTRACT(year FROM d) / 2) STORED,
         CHECK (i::numeric / 100 > 0), CHECK (cents::numeric * 2 > 1));
       CREATE INDEX halves ON t ((i::numeric / 2));
       INSERT INTO t VALUES (1, 150, '2021-01-01', 9223372036854775807), (2, 275, '2020-01-01', -3);
       CREATE VIEW sums AS SELECT sum(cents)::numeric / 100 AS eur FROM t;
       CREATE VIEW thirds AS SELECT i, i::numeric * 1.5 AS more, '7'::numeric + i AS seven, cents / 100 AS whole,
         sum(big) OVER () * 2 AS total, EXTRACT(year FROM d)::int AS year FROM t`,
    );
    const { report } = await run(both, { options: { jobs: 1, verify: "checksum" } });
    expect(report.verification?.differences).toEqual([]);
    const of = (kind: string, name: string) =>
      report.inventory.find((one) => one.kind === kind && one.name.endsWith(name)) ?? { note: "not there" };
    const divided = report.inventory.filter(
      ({ outcome, note }) => outcome === "reported" && /of decimals/.test(note ?? ""),
    );
    // MariaDB has no indexes on expressions.
    const index = flavour === "mysql" ? ["index"] : [];
    expect(divided.map(({ kind }) => kind).sort()).toEqual(
      ["constraint", "generated column", "generated column", ...index, "view"].sort(),
    );
    expect(of("generated column", "t.wide")).toMatchObject({ outcome: "converted" });
    expect(of("view", "thirds")).toMatchObject({ outcome: "converted" });
    // The values are there as plain columns.
    expect(await rows(servers.admin, `SELECT eur, half, wide FROM ${both.name}.t ORDER BY i`)).toEqual([
      ["1.50", "1010.5", "85070591730234615847396907784232501249"],
      ["2.75", "1010.0", "9"],
    ]);
    expect(await rows(servers.admin, `SELECT * FROM ${both.name}.thirds ORDER BY i`)).toEqual([
      ["1", "1.5", "8", "1", "18446744073709551608", "2021"],
      ["2", "3.0", "9", "2", "18446744073709551608", "2020"],
    ]);
    await expect(servers.admin.query(`INSERT INTO ${both.name}.t (i, cents) VALUES (3, 0)`)).rejects.toMatchObject({
      // The check on cents. Drivers know MariaDB's number by a name of MySQL's.
      errno: flavour === "mysql" ? 3819 : 4025,
      message: expect.stringContaining("t_cents_check"),
    });
  });

  test("a view whose branches are of several kinds, and one that goes back in time, are reported, and the rest is copied", async () => {
    const { name, source: postgres, target: mysql } = await pair(servers, "SELECT 1");
    await servers.admin.query(
      `CREATE TABLE ${name}.t (id int PRIMARY KEY, a int, b bigint unsigned, d date);
       INSERT INTO ${name}.t VALUES (1, NULL, 18446744073709551615, '0001-01-01'), (2, 5, 6, '2020-03-01');
       CREATE VIEW ${name}.v_ifnull AS SELECT id, IFNULL(a, 'n/a') AS x FROM ${name}.t;
       CREATE VIEW ${name}.v_coalesce AS SELECT id, COALESCE(a, d, 'n/a') AS x FROM ${name}.t;
       CREATE VIEW ${name}.v_if AS SELECT id, IF(a > 1, b, 'n/a') AS x FROM ${name}.t;
       CREATE VIEW ${name}.v_case AS SELECT id, CASE a WHEN 5 THEN d ELSE b END AS x FROM ${name}.t;
       CREATE VIEW ${name}.v_before AS SELECT id, d - INTERVAL 1 DAY AS x FROM ${name}.t;
       CREATE VIEW ${name}.v_after AS SELECT id, d + INTERVAL 1 DAY AS x FROM ${name}.t`,
    );
    const { report } = await run({ source: mysql, target: postgres });
    const found = new Map(report.inventory.filter(({ kind }) => kind === "view").map((one) => [one.name, one]));
    for (const view of ["v_ifnull", "v_coalesce", "v_if", "v_case"])
      expect(found.get(view), view).toMatchObject({
        outcome: "reported",
        note: expect.stringMatching(/different kinds/),
      });
    expect(found.get("v_before")).toMatchObject({ outcome: "reported", note: expect.stringMatching(/the year 0/) });
    expect(found.get("v_after")).toMatchObject({ outcome: "converted" });
    const client = await reader(servers.source.urlOf(name, "admin"));
    try {
      expect(await inTarget(client, "SELECT id, x FROM v_after ORDER BY id")).toEqual([
        ["1", "0001-01-02"],
        ["2", "2020-03-02"],
      ]);
    } finally {
      await client.end();
    }
  });
});
