import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { database, endpoint, sql } from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** PostGIS between two databases of PostgreSQL. */

let server: Database;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  server = await borrowDatabase("postgis");
});
afterAll(() => server?.stop());

test.each([
  ["has the extension already", "CREATE EXTENSION postgis"],
  ["has not", ""],
])("geometry, its indexes and reference systems of the user's go into a database that %s", async (_, there) => {
  const source = await database(
    server,
    `CREATE EXTENSION postgis; CREATE TABLE t (id int PRIMARY KEY, g geometry(Point, 4326), h geography);
     CREATE INDEX near ON t USING gist (g);
     INSERT INTO t SELECT n, ST_SetSRID(ST_MakePoint(n, 10), 4326), ST_SetSRID(ST_MakePoint(n, 10), 4326) FROM generate_series(1, 20) n;
     INSERT INTO spatial_ref_sys (srid, auth_name, auth_srid, srtext, proj4text) VALUES (990001, 'me', 990001, 'LOCAL_CS["x"]', '')`,
  );
  const target = await database(server, there);
  const { report } = await run(
    { source: endpoint(source), target: endpoint(target) },
    { options: { jobs: 2, verify: "checksum" } },
  );
  expect(report.verification).toMatchObject({ rows: 20, differences: [] });
  expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
  // What is the extension's comes with it.
  expect(report.inventory.filter(({ name }) => name.includes("geometry_dump"))).toEqual([]);
  const look =
    "SELECT (SELECT string_agg(ST_AsEWKT(g) || ST_AsText(h), ',' ORDER BY id) FROM t) AS rows, (SELECT srtext FROM spatial_ref_sys WHERE srid = 990001) AS own, pg_get_indexdef('near'::regclass) AS near";
  expect(await sql(target, look)).toEqual(await sql(source, look));
});
