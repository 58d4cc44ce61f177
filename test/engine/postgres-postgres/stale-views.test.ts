import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, database, endpoint, type Servers, sql, startServers } from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

test("a materialised view that is older than its tables is filled anew, and is reported with both numbers of rows", async () => {
  const [source, target] = [
    await database(
      servers.new,
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b');
       CREATE MATERIALIZED VIEW fresh AS SELECT id FROM t; CREATE MATERIALIZED VIEW fewer AS SELECT id FROM t;
       CREATE MATERIALIZED VIEW other AS SELECT v FROM t WHERE id < 3; CREATE MATERIALIZED VIEW empty AS SELECT 1 AS one FROM t WITH NO DATA;
       INSERT INTO t VALUES (3, 'c'); UPDATE t SET v = 'B' WHERE id = 2; REFRESH MATERIALIZED VIEW fresh`,
    ),
    await database(servers.new),
  ];
  const { report } = await copied(source, target);
  const compared = await verify(
    { source: endpoint(source), target: endpoint(target), options: { jobs: 1 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );
  expect(compared.equal).toBe(true);
  expect(compared.objects.notes.map((note) => note.split(": filled")[0]).sort()).toEqual([
    "materialized view public.fewer",
    "materialized view public.other",
  ]);
  const views = report.inventory.filter(({ kind }) => kind === "materialized view");
  expect(views.map(({ name, outcome }) => [name, outcome]).sort()).toEqual([
    ["public.empty", "copied"],
    ["public.fewer", "reported"],
    ["public.fresh", "copied"],
    ["public.other", "reported"],
  ]);
  expect(views.find(({ name }) => name === "public.fewer")?.note).toMatch(/: 2 rows in the source, 3 in the target$/);
  expect(report.warnings.join("\n")).toMatch(/materialized view public\.other: filled by its query in the target/);
  expect(await sql(target, "SELECT count(*)::int AS n FROM fewer")).toEqual([{ n: 3 }]);
});
