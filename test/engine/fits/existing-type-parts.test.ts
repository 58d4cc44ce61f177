import { afterAll, beforeAll, expect, test } from "vitest";
import {
  copied,
  database,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

/** PostgreSQL → PostgreSQL, rows alone: types of one name that differ in their parts. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const options = { jobs: 2, content: "data" as const };

async function refusal(source: string, target: string): Promise<Error> {
  const from = await database(servers.new, source);
  const to = await database(servers.new, target);
  const failed = await transfer(request(from, to, { options }), hooks()).then(
    async () => new Error(`it was copied: ${JSON.stringify(await sql(to, "SELECT t::text FROM t"))}`),
    (error: Error) => error,
  );
  expect(await sql(to, "SELECT count(*)::int AS n FROM t")).toEqual([{ n: 0 }]);
  expect(await sql(to, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
  return failed;
}

test.each([
  [
    "fields in another order",
    "CREATE TYPE p AS (x int, y int)",
    "CREATE TYPE p AS (y int, x int)",
    "p",
    "(1,2)",
    "c.y",
  ],
  [
    "a field of fewer digits",
    "CREATE TYPE p AS (x numeric(9,4))",
    "CREATE TYPE p AS (x numeric(9,2))",
    "p",
    "(1.2345)",
    "c.x",
  ],
  [
    "a domain of fewer digits",
    "CREATE DOMAIN p AS numeric(9,4)",
    "CREATE DOMAIN p AS numeric(9,2)",
    "p[]",
    "{1.2345}",
    "c[]",
  ],
  ["a shorter domain", "CREATE DOMAIN p AS varchar(9)", "CREATE DOMAIN p AS varchar(3)", "p[]", '{"abc  "}', "c[]"],
  [
    "an array of such composites",
    "CREATE TYPE p AS (x timestamp)",
    "CREATE TYPE p AS (x timestamp(0))",
    "p[]",
    '{"(\\"2020-01-01 10:00:00.5\\")"}',
    "c[].x",
  ],
  ["a field more", "CREATE TYPE p AS (x int)", "CREATE TYPE p AS (x int, y int)", "p", "(1)", "c.y"],
  [
    "another label in a field",
    "CREATE TYPE e AS ENUM ('a','b'); CREATE TYPE p AS (x e)",
    "CREATE TYPE e AS ENUM ('a'); CREATE TYPE p AS (x e)",
    "p",
    "(b)",
    "c.x",
  ],
])("%s: refused by name, and nothing is written", async (_, ours, theirs, type, value, part) => {
  const table = `CREATE TABLE t (id int PRIMARY KEY, c ${type})`;
  const failed = await refusal(`${ours}; ${table}; INSERT INTO t VALUES (1, '${value}')`, `${theirs}; ${table}`);
  expect(failed).toMatchObject({ code: "schema_differs" });
  expect(failed.message).toContain(part);
});

test("labels in an array that the target's type lacks are counted, and nothing is written", async () => {
  const failed = await refusal(
    `CREATE TYPE e AS ENUM ('a','b','c'); CREATE TABLE t (id int PRIMARY KEY, c e[]);
     INSERT INTO t VALUES (1, '{a,b}'), (2, '{{a,c},{c,a}}'), (3, '{a,NULL}'), (4, NULL), (5, '{}')`,
    "CREATE TYPE e AS ENUM ('a','b'); CREATE TABLE t (id int PRIMARY KEY, c e[])",
  );
  expect(failed).toMatchObject({ code: "data_refused" });
  expect(failed.message).toMatch(
    /table public\.t, column c [^;]*: 1 value does not fit \(labels that the type does not have\)/,
  );
});

test("parts that keep every value are copied", async () => {
  const from = await database(
    servers.new,
    `CREATE TYPE e AS ENUM ('a','b'); CREATE DOMAIN d AS varchar(3); CREATE TYPE p AS (x int, y d, z e[]); CREATE TABLE t (id int PRIMARY KEY, c p, l e[], r int4range, a p[]);
     INSERT INTO t VALUES (1, '(1,abc,{a})', '{a}', '[1,2)', ARRAY['(2,x,)'::p])`,
  );
  const to = await database(
    servers.old,
    "CREATE TYPE e AS ENUM ('c','b','a'); CREATE DOMAIN d AS varchar(9); CREATE TYPE p AS (x bigint, y d, z e[]); CREATE TABLE t (id int PRIMARY KEY, c p, l e[], r int4range, a p[])",
  );
  await copied(from, to, { options });
  expect(await sql(to, "SELECT t::text FROM t")).toEqual(await sql(from, "SELECT t::text FROM t"));
});
