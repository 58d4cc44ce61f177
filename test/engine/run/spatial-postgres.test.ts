import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { assessed, outcomes, run } from "../../support/engine/run.ts";

/** PostgreSQL's points and polygons, and PostGIS's geometry, in MySQL and MariaDB: types, SRIDs, places, indexes. */

describe.each<Flavour>(["mysql", "mariadb"])("geometry of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour, "postgis");
  });
  afterAll(() => servers?.close());

  const maria = flavour === "mariadb";
  const copy = ({ source, target }: Pair, options: Partial<CopyOptions> = {}) =>
    run({ source, target }, { options: { jobs: 2, verify: "checksum", ...options } });
  const ask = (sql: string) => rows(servers.admin, sql);
  const columns = async ({ name }: Pair, table: string) =>
    Object.fromEntries(
      (
        await ask(
          `SELECT COLUMN_NAME, COLUMN_TYPE, ${maria ? "NULL" : "SRS_ID"} FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${name}' AND TABLE_NAME = '${table}'`,
        )
      ).map(([column, type, srid]) => [column, srid === null ? type : `${type} ${srid}`]),
    );
  const on = (srid: number | undefined) => (maria || srid === undefined ? "" : ` ${srid}`);

  test("points and polygons are geometry, with a spatial index where PostgreSQL has GiST", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, p point NOT NULL, n point, g polygon NOT NULL);
       CREATE INDEX near ON t USING gist (p); CREATE INDEX around ON t USING gist (g); CREATE INDEX loose ON t USING gist (n);
       INSERT INTO t VALUES (1, '(1.5,-2.25)', NULL, '((0,0),(0,9),(9,9))'), (2, '(1e300,-0)', '(0,0)', '((0,0),(1,0),(1,1),(0,0))')`,
    );
    const { report } = await copy(both);
    expect(await columns(both, "t")).toMatchObject({
      p: `point${on(0)}`,
      n: `point${on(0)}`,
      g: `polygon${on(0)}`,
    });
    expect(
      await ask(`SELECT id, ST_X(p), ST_Y(p), ST_AsText(n), ST_AsText(g) FROM ${both.name}.t ORDER BY id`),
    ).toEqual([
      ["1", "1.5", "-2.25", null, "POLYGON((0 0,0 9,9 9,0 0))"],
      ["2", "1e300", maria ? "0" : "-0", "POINT(0 0)", "POLYGON((0 0,1 0,1 1,0 0,0 0))"],
    ]);
    expect(
      await ask(
        `SELECT INDEX_NAME, INDEX_TYPE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${both.name}' AND INDEX_NAME <> 'PRIMARY' ORDER BY 1`,
      ),
    ).toEqual([
      ["around", "SPATIAL"],
      ["near", "SPATIAL"],
    ]);
    expect(report.inventory).toContainEqual(
      expect.objectContaining({ kind: "index", name: "public.loose", outcome: "reported" }),
    );
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("points and polygons that the target does not know stay text, each column by itself", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, nan point, far point, two polygon NOT NULL, fine point);
       INSERT INTO t VALUES (1, '(NaN,1)', '(1,2)', '((0,0),(1,1))', '(1,2)'), (2, '(1,1)', '(1,-Infinity)', '((0,0),(1,1),(1,0))', '(3,4)')`,
    );
    const { report, logs } = await copy(both);
    expect(await columns(both, "t")).toMatchObject({
      nan: "longtext",
      far: "longtext",
      two: "longtext",
      fine: `point${on(0)}`,
    });
    expect(await ask(`SELECT nan, far, two FROM ${both.name}.t ORDER BY id`)).toEqual([
      ["(NaN,1)", "(1,2)", "((0,0),(1,1))"],
      ["(1,1)", "(1,-Infinity)", "((0,0),(1,1),(1,0))"],
    ]);
    expect(logs.join()).toContain("it holds a geometry that the target does not take");
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  const city = "ST_SetSRID(ST_MakePoint(4.9, 52.37), 4326)";

  test("PostGIS's geometry and geography keep their type and SRID, and a city is where it was", async () => {
    const both = await pair(
      servers,
      `CREATE EXTENSION postgis;
       CREATE TABLE t (id int PRIMARY KEY, at geometry(Point, 4326) NOT NULL, globe geography, any_ geometry, streets geometry(MultiLineString, 3857), all_ geometry(GeometryCollection));
       CREATE INDEX near ON t USING gist (at);
       INSERT INTO t VALUES (1, ${city}, ${city}::geography, ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0),(0.5 0.1,0.6 0.1,0.6 0.2,0.5 0.1))', 3857),
         ST_GeomFromText('MULTILINESTRING((0 0,1 1),(5 5,6 6,7 8))', 3857), ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))', 28992));
       INSERT INTO t (id, at, any_, all_) VALUES (2, ${city}, ${city}, 'GEOMETRYCOLLECTION EMPTY')`,
    );
    const { report } = await copy(both);
    expect(await columns(both, "t")).toMatchObject({
      at: `point${on(4326)}`,
      globe: `geometry${on(4326)}`,
      any_: "geometry",
      streets: `multilinestring${on(3857)}`,
      all_: maria ? "geometrycollection" : "geomcollection",
    });
    const x = maria ? "ST_X" : "ST_Longitude";
    const y = maria ? "ST_Y" : "ST_Latitude";
    expect(
      await ask(
        `SELECT ${x}(at), ${y}(at), ST_SRID(at), ${x}(globe), ST_SRID(globe), ST_SRID(any_), ST_AsText(streets), ST_SRID(all_) FROM ${both.name}.t WHERE id = 1`,
      ),
    ).toEqual([["4.9", "52.37", "4326", "4.9", "4326", "3857", "MULTILINESTRING((0 0,1 1),(5 5,6 6,7 8))", "28992"]]);
    expect(await ask(`SELECT ST_SRID(any_), ST_AsText(all_) FROM ${both.name}.t WHERE id = 2`)).toEqual([
      ["4326", "GEOMETRYCOLLECTION EMPTY"],
    ]);
    expect(
      await ask(
        `SELECT INDEX_TYPE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${both.name}' AND INDEX_NAME = 'near'`,
      ),
    ).toEqual([["SPATIAL"]]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("what of PostGIS has no equal stays as PostgreSQL writes it", async () => {
    const both = await pair(
      servers,
      `CREATE EXTENSION postgis;
       CREATE TABLE t (id int PRIMARY KEY, high geometry(PointZ, 4326), mixed geometry, arc geometry(CircularString), west geometry(Point, 4326), edge geometry(Point, 4326), own geometry(Point, 900913), none geometry);
       INSERT INTO t VALUES (1, ST_SetSRID(ST_MakePoint(1, 2, 3), 4326), ST_MakePoint(1, 2, 3), 'CIRCULARSTRING(0 0,1 1,2 0)', ST_SetSRID(ST_MakePoint(-180.5, 0), 4326), ST_SetSRID(ST_MakePoint(-180, 0), 4326), ST_SetSRID(ST_MakePoint(1, 2), 900913), 'POINT EMPTY')`,
    );
    const { report } = await copy(both);
    expect(await columns(both, "t")).toMatchObject({
      high: "longtext",
      mixed: "longtext",
      arc: "longtext",
      // MariaDB looks at neither.
      west: maria ? "point" : "longtext",
      edge: `point${on(4326)}`,
      own: maria ? "point" : "longtext",
      none: "longtext",
    });
    expect(await ask(`SELECT mixed FROM ${both.name}.t`)).toEqual([
      ["01010000A0000000000000F03F00000000000000400000000000000840".replace("A0", "80")],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("a geometry larger than every buffer arrives whole", async () => {
    const both = await pair(
      servers,
      `CREATE EXTENSION postgis;
       CREATE TABLE t (id int PRIMARY KEY, g geometry(LineString, 3857), p polygon);
       INSERT INTO t SELECT 1, ST_SetSRID(ST_MakeLine(array_agg(ST_MakePoint(n, n * 0.1) ORDER BY n)), 3857),
         (SELECT polygon(40000, circle '<(0,0),5>')) FROM generate_series(1, 40000) n`,
    );
    const { report } = await copy(both);
    expect(
      await ask(
        `SELECT ST_NumPoints(g), ST_AsText(ST_EndPoint(g)), ST_NumPoints(ST_ExteriorRing(p)) FROM ${both.name}.t`,
      ),
    ).toEqual([["40000", "POINT(40000 4000)", "40001"]]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  const everything = `CREATE EXTENSION postgis;
    CREATE TABLE t (id int PRIMARY KEY, p point DEFAULT '(1,2)', x float8, y float8, made point GENERATED ALWAYS AS (point(x, y)) STORED, CHECK (p[0] > 0));
    CREATE TABLE g (id int, g geometry(Point, 4326) NOT NULL DEFAULT 'SRID=4326;POINT(1 2)', CHECK (ST_X(g) > 0), UNIQUE (g, id)) PARTITION BY RANGE (id);
    CREATE TABLE g1 PARTITION OF g FOR VALUES FROM (0) TO (10);
    CREATE INDEX ON g USING gist (g); CREATE INDEX tree ON g (g); CREATE INDEX two ON t USING gist (p, made);
    CREATE VIEW v AS SELECT id, p, p[0] AS x FROM t; CREATE MATERIALIZED VIEW m AS SELECT id, ST_Buffer(g, 1) AS around, ST_Y(g) AS y FROM g;
    INSERT INTO t VALUES (1, '(3,4)', 5, 6); INSERT INTO g VALUES (1, ${city}); REFRESH MATERIALIZED VIEW m`;

  test("what the assessment says of each object is what becomes of it, and what depends on geometry is named", async () => {
    const both = await pair(servers, everything);
    const found = await assessed(both);
    const { report } = await copy(both);
    expect(outcomes(found.objects)).toEqual(outcomes(report.inventory));
    const said = Object.fromEntries(
      report.inventory.map(({ kind, name, outcome, note }) => [`${kind} ${name}`, [outcome, note]]),
    );
    expect(said).toMatchObject({
      "index public.g_g_idx": ["converted", "a spatial index"],
      "index public.tree": ["reported", expect.stringContaining("cannot index")],
      "partitions public.g": ["reported", expect.stringContaining("no geometry in partitioned tables")],
      "default public.t.p": ["reported", expect.anything()],
    });
    expect(await ask(`SELECT ST_X(p), ST_X(made) FROM ${both.name}.t`)).toEqual([["3", "5"]]);
    expect(await ask(`SELECT ST_SRID(around) FROM ${both.name}.m`)).toEqual([["4326"]]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("rows alone go into geometry that is there and into text, and options name text", async () => {
    const source = `CREATE EXTENSION postgis; CREATE TABLE t (id int PRIMARY KEY, p point, q point, g geometry(Point, 4326));
      INSERT INTO t VALUES (1, '(1,2)', '(3,4)', ${city})`;
    const both = await pair(servers, source);
    await servers.admin.query(`CREATE TABLE ${both.name}.t (id INT PRIMARY KEY, p POINT, q TEXT, g GEOMETRY)`);
    const { report } = await copy(both, { content: "data" });
    expect(await ask(`SELECT ST_AsText(p), q, ST_SRID(g) FROM ${both.name}.t`)).toEqual([
      ["POINT(1 2)", "(3,4)", "4326"],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    const named = await pair(servers, source);
    await copy(named, { types: { "t.p": "VARCHAR(40)", "t.q": "GEOMETRY" } });
    expect(await ask(`SELECT p, ST_AsText(q) FROM ${named.name}.t`)).toEqual([["(1,2)", "POINT(3 4)"]]);
    const again = await pair(servers, source);
    await (await copy(again, { content: "schema" })).copied.finish();
    await copy(again, { content: "data" });
    expect(await ask(`SELECT ST_SRID(g) FROM ${again.name}.t`)).toEqual([["4326"]]);
    const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
    expect((await verify({ ...again, options: { jobs: 2 } }, hooks)).equal).toBe(true);
    await servers.admin.query(
      `UPDATE ${again.name}.t SET p = POINT(2, 1), g = ${maria ? "ST_GeomFromText('POINT(52.37 4.9)', 4326)" : "ST_SwapXY(g)"}`,
    );
    expect((await verify({ ...again, options: { jobs: 2 } }, hooks)).verification).toMatchObject({
      uncompared: [],
      differences: [{ differing: 1 }],
    });
  });
});
