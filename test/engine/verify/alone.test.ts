import { afterAll, beforeAll, expect, test } from "vitest";
import { type VerifyOptions, verify } from "../../../src/engine/verify/index.ts";
import { type Pair, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** `verify` alone, after copies by the engine and between databases that somebody else filled. */

let servers: Servers;
let old: postgres.Servers;

beforeAll(async () => {
  [servers, old] = await Promise.all([startServers("mysql"), postgres.startServers()]);
});
afterAll(async () => {
  await Promise.all([servers?.close(), old?.stop()]);
});

const hooks = () => ({
  signal: new AbortController().signal,
  progress: () => undefined,
  log: () => undefined,
});

const check = ({ source, target }: Pick<Pair, "source" | "target">, options: Partial<VerifyOptions> = {}) =>
  verify({ source, target, options: { jobs: 2, ...options } }, hooks());

const zoo = sqlFile(import.meta, "alone.sql");

test("every type of MySQL is compared after its conversion to PostgreSQL, and equal", async () => {
  const both = await pair(servers, zoo);
  await run(both);
  const report = await check(both);
  expect(report.verification.uncompared).toEqual([]);
  expect(report.verification.differences).toEqual([]);
  expect(report).toMatchObject({ equal: true, missing: [], extra: [], target: { engine: "PostgreSQL" } });
  expect(report.tables).toContainEqual({
    source: `${both.source.database}.kinds`,
    target: "public.kinds",
    rows: { source: 4, target: 4 },
  });
});

test("a change in each column of the target is found, and only the row's key is told", async () => {
  const both = await pair(servers, zoo);
  await run(both);
  const { rows: columns } = await both.pg.query(
    "SELECT attname FROM pg_attribute WHERE attrelid = 'kinds'::regclass AND attnum > 1",
  );
  for (const { attname } of columns) {
    await both.pg.query(
      `BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM kinds WHERE id = 1; UPDATE kinds SET "${attname}" = NULL WHERE id = 1; COMMIT`,
    );
    const { equal, verification } = await check(both, { include: ["kinds"] });
    await both.pg.query(
      "BEGIN; DELETE FROM kinds WHERE id = 1; INSERT INTO kinds SELECT * FROM kept; DROP TABLE kept; COMMIT",
    );
    expect([attname, equal, verification.differences[0]?.keys]).toEqual([
      attname,
      false,
      [{ key: '{"id":"1"}', what: "different" }],
    ]);
  }
});

test("rows without a key are compared with their number, and keys of several columns are named", async () => {
  const both = await pair(servers, zoo);
  await run(both);
  await both.pg.query("DELETE FROM keyless WHERE ctid = (SELECT min(ctid) FROM keyless WHERE a = 1)");
  await both.pg.query(
    "UPDATE keyless SET b = 'Y' WHERE a = 2; DELETE FROM worded WHERE n = 3; UPDATE worded SET v = 'x' WHERE n = 2",
  );
  const { verification, equal } = await check(both);
  expect(equal).toBe(false);
  expect(verification.differences.map(({ source, keys, rows }) => [source.split(".")[1], keys, rows])).toEqual([
    [
      "keyless",
      [
        { key: "2 rows without a key, only in the source", what: "missing" },
        { key: "1 row without a key, only in the target", what: "extra" },
      ],
      { source: 4, target: 3 },
    ],
    [
      "worded",
      [
        { key: '{"k":"B","n":"2"}', what: "different" },
        { key: '{"k":"ç","n":"3"}', what: "missing" },
      ],
      { source: 3, target: 2 },
    ],
  ]);
});

test("a table and a column that the target lacks are named, and so is an object that is not a table", async () => {
  const both = await pair(servers, zoo);
  await run(both);
  await both.pg.query(
    "DROP TABLE empty_; ALTER TABLE kinds DROP COLUMN v CASCADE; CREATE TABLE more (a int); DROP VIEW IF EXISTS seen",
  );
  const report = await check(both, { verify: "counts" });
  expect(report).toMatchObject({ equal: false, extra: ["public.more"], verification: { level: "counts" } });
  expect(report.missing).toEqual([`${both.source.database}.empty_`, `${both.source.database}.kinds.v`]);
  expect(report.inventory).toContainEqual({
    kind: "view",
    name: "seen",
    outcome: "reported",
    note: "the target has no view of this name",
  });
});

test("PostgreSQL's types are compared on the servers, between versions", async () => {
  const schema = `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a int, b text); CREATE DOMAIN short AS varchar(5);
    CREATE SCHEMA other; CREATE TABLE other.parted (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE other.parted_1 PARTITION OF other.parted FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
    INSERT INTO other.parted SELECT n, '2020-01-01'::date + n FROM generate_series(1, 100) n;
    CREATE TABLE kinds (id uuid PRIMARY KEY, m mood, p pair, s short, a int[][], j json, jb jsonb, b bytea, f float8, r float4, n numeric, mo money,
      i interval, tz timestamptz, r1 int4range, net inet, bits bit(9), vb varbit, x xml, ts tsvector, pt point, c char(5), nul text);
    INSERT INTO kinds VALUES ('00000000-0000-0000-0000-000000000001', 'ok', (1, 'x,"y'), 'abc', '{{1,2},{3,NULL}}', '{"a" : 1, "a": 2}', '{"b": 1.50}', '\\xdeadbeef', 'NaN', '-Infinity',
      123.4500, '12.34', '1 year -2 days 03:04:05.6', 'infinity', '[1,5)', '10.0.0.1/24', B'101010101', B'1', '<a/>', 'fat cats', '(1,2)', 'ab', NULL),
      ('00000000-0000-0000-0000-000000000002', NULL, ROW(NULL, NULL), '', '{}', 'null', 'null', '', '-0', '0', 'NaN', '0', '0', '0044-03-15 BC', 'empty', '::1', B'000000000', B'', '', '', NULL, '', '');
    CREATE VIEW seen AS SELECT id FROM kinds`;
  const source = await postgres.database(old.old, schema);
  const target = await postgres.database(old.new, schema);
  const both = { source: postgres.endpoint(source), target: postgres.endpoint(target) };
  const report = await check(both);
  expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
  expect(report).toMatchObject({ equal: true, extra: [], verification: { uncompared: [], differences: [] } });
  await postgres.sql(target, `UPDATE kinds SET f = '0' WHERE f = 0; UPDATE other.parted SET id = 1000 WHERE id = 50`);
  const { verification } = await check(both);
  expect(verification.differences.map(({ source: table, keys }) => [table, keys])).toEqual([
    [
      "other.parted_1",
      [
        { key: '{"id":"1000","at":"2020-02-20"}', what: "extra" },
        { key: '{"id":"50","at":"2020-02-20"}', what: "missing" },
      ],
    ],
    ["public.kinds", [{ key: '{"id":"00000000-0000-0000-0000-000000000002"}', what: "different" }]],
  ]);
});
