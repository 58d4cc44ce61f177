import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** Texts of two PostgreSQL databases whose encodings differ, neither of them UTF8: equal are the characters, not the bytes. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

let made = 0;
async function database(encoding: string, text = ""): Promise<Where> {
  const where = { server: servers.new, database: `e${process.pid}_${++made}` };
  const create = `CREATE DATABASE ${where.database} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`;
  await sql({ server: where.server, database: "postgres" }, create);
  if (text !== "") await sql(where, text);
  return where;
}

const verified = async (from: Where, to: Where) => {
  const { source, target } = request(from, to);
  const { signal, progress, log } = hooks();
  return (await verify({ source, target, options: { jobs: 2 } }, { signal, progress, log })).verification;
};
const table = "CREATE TABLE t (k text PRIMARY KEY, c char(9), v varchar(9), a text[], j json, n name, x int, l xml)";
const row = (key: string) =>
  `INSERT INTO t SELECT '${key}' || i, '€', 'Œœ é', ARRAY['ž', NULL, 'a'], '{"€": "é"}', 'Š', i, '<é/>' FROM generate_series(1, 300) i`;

test.each([
  ["LATIN9", "WIN1252"],
  ["WIN1252", "LATIN9"],
  ["LATIN9", "UTF8"],
  ["UTF8", "WIN1252"],
])("from %s to %s, copied rows are equal, and a changed one is found", async (from, to) => {
  const source = await database(from, `${table}; ${row("Ž")}`);
  const target = await database(to);
  const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ rows: 300, differences: [], uncompared: [] });
  expect(await sql(target, "SELECT DISTINCT k, c, v, a::text, j::text, n::text, l::text FROM t WHERE x = 7")).toEqual([
    { k: "Ž7", c: "€        ", v: "Œœ é", a: "{ž,NULL,a}", j: '{"€": "é"}', n: "Š", l: "<é/>" },
  ]);
  await sql(target, "UPDATE t SET v = 'Œœ è' WHERE x = 7");
  expect((await verified(source, target)).differences).toMatchObject([{ differing: 1 }]);
});

test("equal bytes of two encodings are different texts", async () => {
  const source = await database(
    "LATIN9",
    "CREATE TABLE t (k int PRIMARY KEY, v text); INSERT INTO t VALUES (1, '€'), (2, 'é')",
  );
  const target = await database(
    "LATIN1",
    "CREATE TABLE t (k int PRIMARY KEY, v text); INSERT INTO t VALUES (1, '¤'), (2, 'é')",
  );
  expect((await verified(source, target)).differences).toMatchObject([{ differing: 1 }]);
});

test("bytes of no known encoding are equal where they are copied as they are", async () => {
  const source = await database("SQL_ASCII", "CREATE TABLE t (k int PRIMARY KEY, v text)");
  await sql(source, "INSERT INTO t VALUES (1, convert_from('\\351'::bytea, 'SQL_ASCII'))");
  const target = await database("LATIN1");
  const { report } = await copied(source, target, { options: { jobs: 1, verify: "checksum" } });
  expect(report.verification).toMatchObject({ rows: 1, differences: [], uncompared: [] });
  expect(await sql(target, "SELECT v FROM t")).toEqual([{ v: "é" }]);
});
