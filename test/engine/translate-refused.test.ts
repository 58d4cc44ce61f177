import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pair, run, type Servers, startServers } from "./mysql-support.ts";

/** Translated expressions that PostgreSQL refuses where they stand: the table is made without them, and the report says so. */

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
