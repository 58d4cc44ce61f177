import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { CopyReport, Endpoint } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";
import * as mysqlNames from "../../src/engine/mysql/driver/names.ts";
import { connect as connectMysql } from "../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../src/engine/postgres/driver/connection.ts";
import * as postgresNames from "../../src/engine/postgres/driver/names.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";

/** Names and texts of a catalogue are data: whatever they say, they are quoted and arrive, and nothing runs that they say. */

const attacks = [
  "a'; DROP TABLE victim; --",
  'a"; DROP TABLE victim; --',
  "a`; DROP TABLE victim; --",
  "a\\'; DROP TABLE victim; --",
  'a\\"; DROP TABLE victim; --',
  "a\\`; DROP TABLE victim; --",
  "'\"`\\",
  "'''\"\"\"```\\\\\\",
  "$$; DROP TABLE victim; $$",
  "$1 ? :name %s %I %1$s",
  "/*! DROP TABLE victim */",
  "/* */ -- # ;",
  "#; DROP TABLE victim",
  "\\! id > x",
  "\\N",
  "\\.",
  "../../etc/passwd",
  "a\nb",
  "a\r\nDROP TABLE victim;\r\nb",
  "a\tb",
  "x\u001b[2J\u0007x",
  "\u202eevil\u202c",
  "\u2028a",
  "\ufeffbom",
  "select",
  "<script>alert(1)</script>",
  "[a](javascript:alert(1))",
  "ignore all instructions",
  "ÅÄÖ æøå ß ſ",
  "数据库",
  "*",
  "a.b.c",
  "a,b)",
  "__proto__",
  "constructor",
  "0x41",
  "NULL",
];

let servers: Record<Endpoint["engine"], Database>;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  const [postgres, mysql] = await Promise.all([borrowDatabase("postgres"), borrowDatabase("mysql")]);
  servers = { postgres, mysql };
});
afterAll(() => Promise.all(Object.values(servers ?? {}).map((server) => server.stop())));

function endpoint(engine: Endpoint["engine"], database: string): Endpoint {
  const { adminUrl, host, port } = servers[engine];
  const { username, password } = new URL(adminUrl);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return { engine, host, port, user, password: secret, database, tls: { mode: "prefer" } };
}

describe("quoted", () => {
  test("for PostgreSQL they are what they were, under both readings of a backslash", async () => {
    const session = await connectPostgres(endpoint("postgres", "app"), { role: "target", applicationName: "names" });
    for (const conforming of ["on", "off"]) {
      await session.run(`SET standard_conforming_strings = ${conforming}`);
      for (const text of attacks) {
        const rows = await session.query(`SELECT ${postgresNames.literal(text)} AS ${postgresNames.identifier(text)}`);
        expect(rows).toEqual([ownRow(text)]);
      }
    }
    await session.end();
  });

  test("for MySQL they are what they were", async () => {
    const session = await connectMysql(endpoint("mysql", "app"), { role: "target", program: "names" });
    for (const text of attacks) {
      const named = mysqlNames.identifier(text);
      const rows = await session.query(
        `SELECT ${mysqlNames.literal(text)}, ${named} FROM (SELECT 'inner' AS ${named}) x`,
      );
      expect(rows).toEqual([[text, "inner"]]);
    }
    expect(await session.query(`SELECT HEX(${mysqlNames.literal("a\0b")})`)).toEqual([["610062"]]);
    await session.end();
  });
});

/** A row with one column of that name, also where an object literal would take it for something else. */
function ownRow(text: string): Record<string, string> {
  const row: Record<string, string> = {};
  Object.defineProperty(row, text, { value: text, enumerable: true, configurable: true, writable: true });
  return row;
}

const quote = { postgres: postgresNames, mysql: mysqlNames } as const;
let count = 0;

async function empty(engine: Endpoint["engine"]): Promise<Endpoint> {
  const name = `hostile_${++count}`;
  const admin = await connect(engine, servers[engine].adminUrl);
  await admin.query(
    engine === "mysql" ? `CREATE DATABASE ${name} CHARACTER SET utf8mb4` : `CREATE DATABASE ${name} TEMPLATE template0`,
  );
  await admin.end();
  return endpoint(engine, name);
}

/** A table for each attack, named so, with a column named so, whose one row and comment say so; and one that they are after. */
async function source(engine: Endpoint["engine"]): Promise<Endpoint> {
  const made = await empty(engine);
  const { identifier, literal } = quote[engine];
  const session = await connect(engine, servers[engine].urlOf(made.database, "admin"));
  if (engine === "mysql") await session.query("SET sql_mode = 'STRICT_ALL_TABLES'");
  await session.query("CREATE TABLE victim (id int PRIMARY KEY)");
  await session.query("INSERT INTO victim VALUES (1)");
  for (const text of attacks) {
    const table = identifier(text);
    const column = `${table} varchar(80) NOT NULL DEFAULT ${literal(text)}`;
    const comment = engine === "mysql" ? ` COMMENT = ${literal(text)}` : "";
    await session.query(`CREATE TABLE ${table} (id int PRIMARY KEY, ${column})${comment}`);
    if (engine === "postgres") await session.query(`COMMENT ON TABLE ${table} IS ${literal(text)}`);
    await session.query(`INSERT INTO ${table} (id) VALUES (1)`);
  }
  await session.end();
  return made;
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

const engines = ["postgres", "mysql"] as const;
const directions = engines.flatMap((from) => engines.map((to) => [from, to] as const));

describe.each(directions)("%s to %s", (from, to) => {
  test("every table arrives with its row and its default, and the victim stands", async () => {
    const log: string[] = [];
    const request = {
      owner: "hostile",
      ownerName: "hostile",
      source: await source(from),
      target: await empty(to),
      options: { jobs: 2, verify: "checksum" as const },
      reset: false,
    };
    const { report, finish } = await copy(request, {
      signal: AbortSignal.timeout(120_000),
      progress: () => undefined,
      measured: () => undefined,
      log: (_level, message) => void log.push(message),
    });
    await finish();
    expect(report.tables.filter(({ rows }) => rows.source !== 1 || rows.target !== 1)).toEqual([]);
    expect(report.tables).toHaveLength(attacks.length + 1);
    expect(report.verification?.differences).toEqual([]);
    expect(log.filter((line) => controls.test(line))).toEqual([]);
    expect(await valuesIn(request.target, report)).toEqual([...attacks].sort());
  });
});

/** What the default made of each table's row, and makes of a second one. */
async function valuesIn({ engine, database }: Endpoint, report: CopyReport): Promise<string[]> {
  const { identifier } = quote[engine];
  const session = await connect(engine, servers[engine].urlOf(database, "admin"));
  const tables =
    engine === "mysql"
      ? `SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${database}' AND ORDINAL_POSITION = 2`
      : "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 2 JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)' ";
  const schema = engine === "mysql" ? "" : `${identifier(schemaOf(report))}.`;
  const found: string[] = [];
  for (const [table = "", column = ""] of await session.query(tables)) {
    await session.query(`INSERT INTO ${schema}${identifier(table)} (id) VALUES (2)`);
    const rows = await session.query(`SELECT DISTINCT ${identifier(column)} AS v FROM ${schema}${identifier(table)}`);
    found.push(...rows.map(([value = ""]) => value));
  }
  await session.end();
  return found.sort();
}

/** Of a PostgreSQL target: all tables are in one. */
const schemaOf = ({ tables }: CopyReport): string => (tables[0]?.target ?? "").split(".")[0]?.replaceAll('"', "") ?? "";
