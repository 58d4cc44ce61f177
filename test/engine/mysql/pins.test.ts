import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { copied, definitionsOf, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, type Flavour, reader, rows } from "../../support/engine/mysql-support.ts";
import { inSource } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Settings of a server change what MySQL prints and how it reads. No copy may depend on them. */

const servers = useServers();
let postgres: Database;
beforeAll(async () => {
  postgres = await borrowDatabase("postgres");
});
afterAll(() => postgres?.stop());

const hostile = (flavour: Flavour): [string, string][] => [
  ["sql_mode", "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,PAD_CHAR_TO_FULL_LENGTH'"],
  ["time_zone", "'+05:30'"],
  ["sql_quote_show_create", "0"],
  ["sql_auto_is_null", "1"],
  ["sql_select_limit", "1"],
  ["sql_safe_updates", "1"],
  ["group_concat_max_len", "4"],
  ["completion_type", "'CHAIN'"],
  ["explicit_defaults_for_timestamp", "0"],
  ["tx_read_only", "1"],
  ...(flavour === "mariadb"
    ? ([["old_mode", "''"]] as [string, string][])
    : ([["show_create_table_verbosity", "1"]] as [string, string][])),
];

/** Runs the work on servers with these settings. Names that a server does not have are another's. */
async function under(flavours: readonly Flavour[], work: () => Promise<void>): Promise<void> {
  const changed: [Flavour, string, string][] = [];
  try {
    for (const flavour of new Set(flavours))
      for (const [name, value] of hostile(flavour)) {
        const own = name === "tx_read_only" && flavour === "mysql" ? "transaction_read_only" : name;
        const { admin } = servers.of[flavour];
        const [[found]] = (await admin.query({ sql: `SELECT @@GLOBAL.${own}`, rowsAsArray: true })) as unknown as [
          [[string]],
        ];
        changed.push([flavour, own, /^\d+$/.test(String(found[0])) ? String(found[0]) : `'${found[0]}'`]);
        await admin.query(`SET GLOBAL ${own} = ${value}`);
      }
    await work();
  } finally {
    for (const [flavour, name, value] of changed)
      await servers.of[flavour].admin.query(`SET GLOBAL ${name} = ${value}`);
  }
}

const schema = String.raw`CREATE TABLE p (id int PRIMARY KEY AUTO_INCREMENT, w varchar(20) DEFAULT 'C:\\dir', c char(5), d decimal(10,2),
    r decimal(12,6) GENERATED ALWAYS AS (d / 3) STORED, t timestamp NULL, e enum('a''b','c\\d'), KEY (w), KEY odd (c, d)) CHARSET utf8mb4;
  INSERT INTO p (id, w, c, d, t, e) VALUES (0, 'x\\y', 'a', 1, NULL, 'c\\d'), (5, 'z', 'b ', 10, '2024-01-01 00:00:00', 'a''b'), (6, NULL, NULL, NULL, NULL, NULL);
  CREATE VIEW v AS SELECT id, concat(w, '\\') AS w FROM p WHERE w <> '\\';`;

test.each(pairs)("%s → %s: definitions and values do not depend on the servers' settings", async (from, to) => {
  const where = await pair(servers, from, to, schema);
  const values = async (client: typeof where.from) =>
    (await client.query({ sql: "SELECT *, HEX(c) FROM p ORDER BY id", rowsAsArray: true }))[0];
  const plain = await pair(servers, from, to, schema);
  await copied(plain);
  const expected = await definitionsOf(plain.to);
  const before = await values(plain.to);
  await where.from.query(`USE ${where.database}`);
  await under([from, to], async () => {
    const { report } = await copied(where, { options: { jobs: 2, verify: "checksum" } });
    expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
  });
  const text = (found: Record<string, string>, name: string) => JSON.stringify(found).replaceAll(name, "d");
  const to_ = where.target.database;
  await where.to.query(`USE ${to_}`);
  expect(text(await definitionsOf(where.to), to_)).toBe(text(expected, plain.target.database));
  expect(await values(where.to)).toEqual(before);
});

test.each(pairs)(
  "%s → %s: stored values that another setting computed are kept, in a plain column",
  async (from, to) => {
    const where = await pair(servers, from, to);
    await where.from.query("SET SESSION div_precision_increment = 10");
    await where.from.query(
      "CREATE TABLE p (id int PRIMARY KEY, d decimal(10,2), r decimal(20,12) GENERATED ALWAYS AS (d / 3) STORED); INSERT INTO p (id, d) VALUES (1, 1)",
    );
    await where.from.query("SET SESSION div_precision_increment = 4");
    const { report } = await copied(where);
    const [[row]] = (await where.to.query("SELECT CAST(r AS CHAR) AS r FROM p")) as unknown as [[{ r: string }]];
    expect(row.r).toBe("0.333333333333");
    expect(report.inventory.find(({ name }) => name === "p.r")).toMatchObject({ outcome: "reported" });
  },
);

describe.each<Flavour>(["mysql", "mariadb"])("PostgreSQL and %s", (flavour) => {
  test("values and defaults with backslashes arrive in both directions, whatever both servers' settings are", async () => {
    const name = `pins_${flavour}`;
    const back = `${name}_back`;
    for (const one of [name, back]) {
      await inSource(postgres.adminUrl, `CREATE DATABASE ${one} TEMPLATE template0`);
      for (const setting of ["standard_conforming_strings = off", "array_nulls = off", "bytea_output = escape"])
        await inSource(postgres.adminUrl, `ALTER DATABASE ${one} SET ${setting}`);
    }
    await inSource(
      postgres.urlOf(name, "admin"),
      String.raw`SET standard_conforming_strings = on;
        CREATE TABLE p (id int PRIMARY KEY, w varchar(20) DEFAULT 'C:\dir', b bytea, CHECK (w <> 'a\b'));
        INSERT INTO p VALUES (1, 'x\y', '\x005c'), (2, NULL, NULL); INSERT INTO p (id) VALUES (3);`,
    );
    const { admin, server } = servers.of[flavour];
    await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    const middle = endpoint(server.urlOf(name, "admin"), "mysql");
    await under([flavour], async () => {
      const more = { options: { jobs: 2, verify: "checksum" as const } };
      await (
        await run({ source: endpoint(postgres.urlOf(name, "admin"), "postgres"), target: middle }, more)
      ).copied.finish();
      await (
        await run({ source: middle, target: endpoint(postgres.urlOf(back, "admin"), "postgres") }, more)
      ).copied.finish();
    });
    const client = await reader(postgres.urlOf(back, "admin"));
    try {
      await client.query("SET standard_conforming_strings = on; SET bytea_output = hex");
      await client.query("INSERT INTO p (id) VALUES (4)");
      expect(await rows(client, "SELECT id, w, b FROM p ORDER BY id")).toEqual([
        ["1", "x\\y", "\\x005c"],
        ["2", null, null],
        ["3", "C:\\dir", null],
        ["4", "C:\\dir", null],
      ]);
      await expect(client.query("INSERT INTO p VALUES (5, 'a\\b')")).rejects.toMatchObject({ code: "23514" });
    } finally {
      await client.end();
    }
  });
});
