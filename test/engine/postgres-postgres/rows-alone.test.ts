import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import {
  copied,
  database,
  endpoint,
  hooks,
  type Servers,
  sql,
  startServers,
} from "../../support/engine/postgres-support.ts";

/** The schema first and then rows alone: no difference to one copy of both that the report does not name. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const data = { jobs: 2, content: "data" as const };
const schema = { jobs: 2, content: "schema" as const };
const tables = "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b')";
const views = `CREATE MATERIALIZED VIEW b AS SELECT id FROM t; CREATE VIEW between AS SELECT id FROM b; CREATE MATERIALIZED VIEW a AS SELECT count(*) AS n FROM between;
  CREATE MATERIALIZED VIEW unfilled AS SELECT id FROM t WITH NO DATA`;
const filled = `SELECT relname::text AS name, relispopulated AS filled FROM pg_class WHERE relkind = 'm' ORDER BY 1`;
const entries = (report: { inventory: readonly { kind: string; name: string }[] }, kind: string) =>
  report.inventory.filter((entry) => entry.kind === kind);

test("materialised views that are not filled are filled after the rows, and one that was is compared", async () => {
  const [source, target] = [await database(servers.new, `${tables}; ${views}`), await database(servers.new)];
  await copied(source, target, { options: schema });
  const { report } = await copied(source, target, { options: data });
  expect(await sql(target, filled)).toEqual(await sql(source, filled));
  expect(await sql(target, "SELECT n::int FROM a")).toEqual([{ n: 2 }]);
  expect(entries(report, "materialized view")).toContainEqual(
    expect.objectContaining({ name: "public.a", outcome: "copied", note: expect.stringContaining("filled") }),
  );
  expect(report.warnings).toEqual([]);

  const old = await database(servers.new, `${tables}; ${views}; TRUNCATE t`);
  const again = await copied(source, old, { options: data });
  expect(again.report.warnings).toEqual([]);
  const other = await database(servers.new, `${tables}; INSERT INTO t VALUES (3, 'c'); ${views}; TRUNCATE t`);
  const named = (await copied(source, other, { options: data })).report;
  expect(named.warnings.map((warning) => warning.split(": ")[0])).toEqual([
    "materialized view public.a",
    "materialized view public.b",
    "2 source objects were not copied or were changed",
  ]);
  expect(named.warnings.join()).toMatch(/2 rows in the source, 3 in the target.*REFRESH MATERIALIZED VIEW/);
  expect(
    entries(named, "materialized view").filter((one) => "outcome" in one && one.outcome === "reported"),
  ).toHaveLength(2);
});

test("a materialised view that the run may not fill is named with the statement", async () => {
  const source = await database(
    servers.new,
    `${tables}; CREATE MATERIALIZED VIEW b AS SELECT id / (id - 1) AS n FROM t WHERE id > 1`,
  );
  const target = await database(servers.new);
  await copied(source, target, { options: schema });
  await sql(
    target,
    "DROP MATERIALIZED VIEW b; CREATE MATERIALIZED VIEW b AS SELECT id / (id - 1) AS n FROM t WITH NO DATA",
  );
  const { report } = await copied(source, target, { options: data });
  expect(report.warnings).toEqual([
    expect.stringMatching(
      /^materialized view public\.b .*division by zero.*REFRESH MATERIALIZED VIEW "public"\."b" there$/,
    ),
    "1 source object was not copied or was changed: 1 materialized view (see the report)",
  ]);
  expect(entries(report, "materialized view")).toEqual([expect.objectContaining({ outcome: "reported" })]);
});

test("large objects are named with their number, in the report and in an assessment", async () => {
  const large = "SELECT lo_from_bytea(oid, 'x') FROM generate_series(20000, 20030) oid";
  const [source, target] = [await database(servers.new, `${tables}; ${large}`), await database(servers.new)];
  await copied(source, target, { options: schema });
  const assessed = await assess({ source: endpoint(source), target: endpoint(target), options: data }, hooks());
  expect(assessed.findings).toContainEqual(
    expect.objectContaining({
      severity: "warning",
      code: "large_objects_not_copied",
      reason: expect.stringMatching(/^31 large objects .*not copied/),
    }),
  );
  const { report } = await copied(source, target, { options: data });
  expect(report.warnings).toEqual([
    expect.stringMatching(/^31 large objects .*not copied/),
    "31 source objects were not copied or were changed: 31 large objects (see the report)",
  ]);
  expect(entries(report, "large object")).toEqual([
    { kind: "large object", name: "all 31", outcome: "reported", note: expect.stringContaining("content: data") },
  ]);
  expect(assessed.objects.filter(({ kind }) => kind === "large object")).toEqual(entries(report, "large object"));
});
