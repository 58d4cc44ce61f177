import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSummary } from "../../../src/engine/report/text.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { assessed, run } from "../../support/engine/run.ts";
import { endPlaces, place, startPlaces } from "../../support/engine/verify-places.ts";

/** assess, copy and verify count the same tables and objects, so that a person can compare their numbers. */

beforeAll(startPlaces);
afterAll(endPlaces);

const schema = `
  CREATE TABLE p (i int PRIMARY KEY, t text) PARTITION BY RANGE (i);
  CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20);
  CREATE TABLE a (i int PRIMARY KEY, j int REFERENCES a); COMMENT ON TABLE a IS 'a table';
  INSERT INTO p VALUES (1, 'x'), (11, 'y'); INSERT INTO a VALUES (1, 1);
  CREATE VIEW late AS SELECT i, t FROM p GROUP BY i, t; CREATE TABLE k (i int PRIMARY KEY, n text);
  CREATE VIEW grouped AS SELECT i, n FROM k GROUP BY i;
  CREATE MATERIALIZED VIEW m AS SELECT 1 AS one`;

test("between PostgreSQL servers", async () => {
  const [source, target] = [await place("postgres"), await place("postgres")];
  await source.run(schema);
  const both = { source: source.endpoint, target: target.endpoint };
  const before = await assessed(both);
  const { report, copied } = await run(both);
  await copied.finish();
  const after = await verify(
    { ...both, options: { jobs: 2 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );
  expect([before.source.tables, report.tables.length, after.tables.length]).toEqual([4, 4, 4]);
  const [, objects] = /Objects +(\d+) copied\n/.exec(reportSummary(report)) ?? [];
  expect([before.objects.length, Number(objects)]).toEqual([after.objects.compared, after.objects.compared]);
});

test("from PostgreSQL to MySQL a partitioned table is one, and a materialized view is a table", async () => {
  const [source, target] = [await place("postgres"), await place("mysql")];
  await source.run(schema);
  const both = { source: source.endpoint, target: target.endpoint };
  const before = await assessed(both);
  const { report, copied } = await run(both);
  await copied.finish();
  expect(report.tables.map(({ source: name }) => name).sort()).toEqual([
    "public.a",
    "public.k",
    "public.m",
    "public.p",
  ]);
  expect(before.source.tables).toBe(report.tables.length);
});
