import { afterAll, beforeAll, expect, test } from "vitest";
import { mysqlStatements, postgresScript } from "../samples/index.ts";
import { inSource } from "../support/engine/postgres-mysql-support.ts";
import { applyMigration, kubectl, untilState } from "./kube.ts";
import { makeWorld, type World, withMysql, withPostgres } from "./world.ts";

/** The film rental, each way, as somebody has them copied by kubectl alone; values compared by the run itself and by a plain reader. */

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
    for (const statement of mysqlStatements("rental")) await connection.query(statement);
  });
  await inSource(urlOf("postgres"), postgresScript("rental"));
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
  ["mysql", "mariadb", "transfer", 18, 12_518],
  ["mysql", "postgres", "conversion", 18, 12_518],
  ["postgres", "postgres", "transfer", 23, 11_921],
  // With those of the materialised views.
  ["postgres", "mariadb", "conversion", 21, 11_935],
])(
  "%s → %s: a sample database is copied, its values proven, its report served",
  async (from, to, type, tables, rows) => {
    const name = `${from}-to-${to}`;
    const url = await world.emptyTarget(to, name);
    await applyMigration(world.namespace, name, {
      source: { secretRef: { name: from } },
      target: { secretRef: { name } },
      options: { verify: "checksum" },
    });
    await kubectl(["wait", "--for=condition=Complete", `migration/${name}`, "-n", world.namespace, "--timeout=120s"]);
    const { status, metadata } = await untilState(world.namespace, name, "completed");
    expect(status).toMatchObject({ type, report: { tables, rows } });
    const took = (Date.parse(status?.finishedAt ?? "") - Date.parse(metadata.creationTimestamp)) / 1000;
    console.log(`${from} → ${to}: Complete ${took} s after apply`);
    for (const [table, number, text, many] of [
      ["film", "minutes", "plot", 600],
      ["payment", "amount", "''", 2400],
      ["member", "branch_no", "email", 520],
    ] as const) {
      const source = await sums(urlOf(from), table, number, text);
      expect([table, ...(await sums(url, table, number, text))]).toEqual([table, ...source]);
      expect(source[0]).toBe(String(many));
    }
  },
);
