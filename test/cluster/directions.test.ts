import { afterAll, beforeAll, expect, test } from "vitest";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { run } from "../../dev/terminal/run.ts";
import { statementsOf } from "../engine/mysql-mysql-support.ts";
import { applyMigration, kubectl, untilState } from "./kube.ts";
import { makeWorld, type World, withMysql, withPostgres } from "./world.ts";

/** The sample databases, each way, as somebody has them copied by kubectl alone; values compared by the run itself and by a plain reader. */

const data = (name: string) => new URL(`../../../shared/data/${name}.sql`, import.meta.url);
const isMysql = (url: string) => url.startsWith("mysql:");

let world: World;
const urlOf = (server: string) => world.databases[server]?.host ?? "";

beforeAll(async () => {
  world = await makeWorld("directions", {
    mysql: "mysql",
    mariadb: "mariadb",
    postgres: "postgres",
  });
  await withMysql(urlOf("mysql"), async (connection) => {
    await connection.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    for (const part of ["sakila-mysql-schema", "sakila-mysql-data"]) {
      for (const statement of await statementsOf(data(part).pathname)) {
        if (!/^\s*(DROP SCHEMA|CREATE SCHEMA|USE)\b/i.test(statement))
          await connection.query(statement.replaceAll(/\bsakila\b/g, "shop"));
      }
    }
    await connection.query("COMMIT");
  });
  const files = ["pagila-postgres-schema", "pagila-postgres-data"].flatMap((part) => ["-f", data(part).pathname]);
  await run(`${await pgTools()}/psql`, ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", urlOf("postgres"), ...files]);
});
afterAll(() => world?.end());

/** Rows of a table, with the sum of a column of numbers and one of texts' lengths: the same words for both engines. */
async function sums(url: string, table: string, number: string, text: string): Promise<string[]> {
  const sql = `SELECT count(*) AS n, sum(${number}) AS total, sum(octet_length(${text})) AS bytes FROM ${table}`;
  const [row] = isMysql(url)
    ? await withMysql(url, async (connection) => (await connection.query(sql))[0] as Record<string, unknown>[])
    : await withPostgres(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
  return Object.values(row ?? {}).map((value) => String(Number(value)));
}

test.each([
  ["mysql", "mariadb", "transfer", 16],
  ["mysql", "postgres", "conversion", 16],
  ["postgres", "postgres", "transfer", 22],
  ["postgres", "mariadb", "conversion", 16],
])("%s → %s: a sample database is copied, its values proven, its report served", async (from, to, type, tables) => {
  const name = `${from}-to-${to}`;
  const url = await world.emptyTarget(to, name);
  await applyMigration(world.namespace, name, {
    source: { secretRef: { name: from } },
    target: { secretRef: { name } },
    options: { verify: "checksum" },
  });
  await kubectl(["wait", "--for=condition=Complete", `migration/${name}`, "-n", world.namespace, "--timeout=120s"]);
  const { status, metadata } = await untilState(world.namespace, name, "completed");
  expect(status).toMatchObject({ type, report: { tables } });
  expect(status?.report?.rows).toBeGreaterThan(40_000);
  const took = (Date.parse(status?.finishedAt ?? "") - Date.parse(metadata.creationTimestamp)) / 1000;
  console.log(`${from} → ${to}: Complete ${took} s after apply`);
  for (const [table, number, text] of [
    ["film", "length", "description"],
    ["payment", "amount", "''"],
    ["customer", "address_id", "email"],
  ] as const) {
    const source = await sums(urlOf(from), table, number, text);
    expect([table, ...(await sums(url, table, number, text))]).toEqual([table, ...source]);
    expect(Number(source[0])).toBeGreaterThan(500);
  }
});
