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

/** PostgreSQL → PostgreSQL, rows alone: nothing is cut or rounded, and what fits is copied. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const options = { jobs: 2, content: "data" as const, verify: "checksum" as const };
const source = `CREATE DOMAIN short AS varchar(9); CREATE TABLE t (id int PRIMARY KEY, d numeric(14,4), n numeric, c text, k varchar(9), s short, x timestamp, z timestamptz, y time, b bit varying(9), i bigint, j date, u uuid, v interval);
  INSERT INTO t VALUES (1, 1.2500, 'NaN', 'abc', 'a', 'xyz', '2020-01-01 10:00:00.12', '2020-01-01 10:00:00.5+00', '10:00', B'101', 7, '2020-01-01', '00000000-0000-0000-0000-000000000001', '1 day 00:00:01.5'),
    (2, NULL, NULL, NULL, NULL, NULL, 'infinity', '-infinity', NULL, NULL, NULL, 'infinity', NULL, NULL)`;
const narrow =
  "CREATE DOMAIN three AS varchar(3); CREATE TABLE t (id int PRIMARY KEY, d numeric(10,2), n numeric(10,2), c varchar(3), k char(9), s three, x timestamp(2), z timestamptz(1), y time(0), b bit varying(9), i smallint, j timestamp, u text, v interval(1))";

test("values that fit are copied into narrower types, a date into a timestamp, and any type into text", async () => {
  const from = await database(servers.new, source);
  const to = await database(servers.new, narrow);
  const { report } = await copied(from, to, { options: { ...options, verify: "counts" } });
  expect(report.tables).toMatchObject([{ rows: { source: 2, target: 2 } }]);
  expect(
    await sql(
      to,
      "SELECT d::text, n::text, c, k::text, s, x::text, z::text, y::text, i, j::text, v::text FROM t WHERE id = 1",
    ),
  ).toEqual([
    {
      ...{
        d: "1.25",
        n: "NaN",
        c: "abc",
        k: "a",
        s: "xyz",
        x: "2020-01-01 10:00:00.12",
        z: "2020-01-01 10:00:00.5+00",
      },
      ...{ y: "10:00:00", i: 7, j: "2020-01-01 00:00:00", v: "1 day 00:00:01.5" },
    },
  ]);
});

test("a value that would be cut or rounded is counted by its column, and nothing is written", async () => {
  const from = await database(servers.new, source);
  await sql(
    from,
    `INSERT INTO t VALUES (3, 1.2345, 1.005, 'abc   ', 'a ', 'abc ', '2020-01-01 10:00:00.123', '2020-01-01 10:00:00.55', '10:00:00.5', NULL, 70000, NULL, NULL, '00:00:01.25'),
       (4, 123456789.5, 1e20, 'abcd', 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  );
  const to = await database(servers.new, narrow);
  const failed: Error = await transfer(request(from, to, { options }), hooks()).then(
    () => new Error("it was copied"),
    (error: Error) => error,
  );
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  for (const [column, values] of Object.entries({ d: 2, n: 2, c: 2, k: 1, s: 1, x: 1, z: 1, y: 1, i: 1, v: 1 }))
    expect(failed.message).toMatch(new RegExp(`table public\\.t, column ${column} \\([^;]*: ${values} value`));
  expect(await sql(to, "SELECT count(*)::int AS n FROM t")).toEqual([{ n: 0 }]);
  expect(await sql(to, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
});
