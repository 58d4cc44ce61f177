import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { type Flavour, type Pair, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { assessed, outcomes, run } from "../../support/engine/run.ts";

/** Geometry of MySQL and MariaDB in PostGIS: types, SRIDs, places, indexes, and what PostGIS does not take. */

/** Longitude and latitude. */
const amsterdam = [4.9, 52.37] as const;
const paris = [2.35, 48.86] as const;

describe.each<Flavour>(["mysql", "mariadb"])("geometry of %s in PostGIS", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour, "postgis");
  });
  afterAll(() => servers?.close());

  const maria = flavour === "mariadb";
  /** As the source's own users write a place: MySQL by the system's axes, latitude first, MariaDB by x and y. */
  const place = ([longitude, latitude]: readonly [number, number]) =>
    maria
      ? `ST_GeomFromText('POINT(${longitude} ${latitude})', 4326)`
      : `ST_GeomFromText('POINT(${latitude} ${longitude})', 4326)`;
  const srid = (number: number) => (maria ? "" : `SRID ${number}`);

  async function prepared(schema: string, extension = "CREATE EXTENSION postgis"): Promise<Pair> {
    const both = await pair(servers, schema);
    await both.pg.query(extension);
    return both;
  }
  const copy = ({ source, target }: Pair, options: Partial<CopyOptions> = {}) =>
    run({ source, target }, { options: { jobs: 2, verify: "checksum", ...options } });
  const columns = ({ pg }: Pair, table: string) =>
    rows(
      pg,
      `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 ORDER BY attnum`,
    );

  test("a city is where it was, its longitude in x and its latitude in y", async () => {
    const both = await prepared(
      `CREATE TABLE cities (id INT PRIMARY KEY, at POINT NOT NULL ${srid(4326)}, SPATIAL KEY near (at));
       INSERT INTO cities VALUES (1, ${place(amsterdam)}), (2, ${place(paris)})`,
    );
    const { report } = await copy(both);
    expect(await rows(both.pg, "SELECT id, ST_X(at), ST_Y(at), ST_SRID(at) FROM cities ORDER BY id")).toEqual([
      ["1", "4.9", "52.37", "4326"],
      ["2", "2.35", "48.86", "4326"],
    ]);
    const [[metres]] = (await rows(
      both.pg,
      "SELECT round(ST_Distance(a.at::geography, b.at::geography)) FROM cities a, cities b WHERE a.id = 1 AND b.id = 2",
    )) as [[string]];
    // By road it is 500 km; with the axes exchanged it would be 353.
    expect(Number(metres) / 1000).toBeCloseTo(430, -1);
    expect(await columns(both, "cities")).toContainEqual(["at", maria ? "geometry(Point)" : "geometry(Point,4326)"]);
    expect(await rows(both.pg, "SELECT indexdef FROM pg_indexes WHERE indexname = 'near'")).toEqual([
      ["CREATE INDEX near ON public.cities USING gist (at)"],
    ]);
    expect(report.inventory).toContainEqual({
      kind: "index",
      name: "cities.near",
      outcome: "converted",
      note: "a GiST index",
    });
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  const shapes = {
    point: "POINT(1 2)",
    linestring: "LINESTRING(0 0,1.5 -2.25,1e300 1e-300)",
    polygon: "POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,2 1,2 2,1 2,1 1))",
    multipoint: "MULTIPOINT(1 2,3 4)",
    multilinestring: "MULTILINESTRING((0 0,1 1),(2 2,3 3,4 5))",
    multipolygon: "MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,9 5,9 9,5 5),(6 5.5,7 5.5,7 6,6 5.5)))",
    geometrycollection: "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1),POLYGON((0 0,1 0,1 1,0 0)))",
  };
  const types: Record<string, string> = {
    point: "Point",
    linestring: "LineString",
    polygon: "Polygon",
    multipoint: "MultiPoint",
    multilinestring: "MultiLineString",
    multipolygon: "MultiPolygon",
    geometrycollection: "GeometryCollection",
  };

  test("every kind of geometry keeps its type, its coordinates and the SRID of each value", async () => {
    const names = Object.keys(shapes);
    const both = await prepared(
      `CREATE TABLE shapes (id INT PRIMARY KEY, ${names.map((name) => `\`${name}\` ${name}`).join(", ")}, any_ GEOMETRY, flat GEOMETRY ${srid(0)});
       INSERT INTO shapes VALUES (1, ${Object.values(shapes)
         .map((text) => `ST_GeomFromText('${text}')`)
         .join(", ")}, ST_GeomFromText('POINT(1 2)', 3857), ST_GeomFromText('LINESTRING(0 0,1 1)'));
       INSERT INTO shapes (id) VALUES (2);
       INSERT INTO shapes (id, any_) VALUES (3, ${place(paris)}), (4, ST_GeomFromText('GEOMETRYCOLLECTION EMPTY')), (5, ST_GeomFromText('${shapes.multipolygon}', 3857))`,
    );
    const { report } = await copy(both);
    expect(await columns(both, "shapes")).toEqual([
      ["id", "integer"],
      ...names.map((name) => [name, `geometry(${types[name]})`]),
      ["any_", "geometry"],
      ["flat", "geometry"],
    ]);
    const texts = names.map((name) => `ST_AsText("${name}")`).join(", ");
    const [found = []] = await rows(both.pg, `SELECT ${texts} FROM shapes WHERE id = 1`);
    const [same] = await rows(
      both.pg,
      `SELECT ${Object.values(shapes)
        .map((text) => `ST_AsText('${text}')`)
        .join(", ")}`,
    );
    expect(found).toEqual(same);
    expect(await rows(both.pg, "SELECT id, ST_SRID(any_), ST_AsText(any_) FROM shapes ORDER BY id")).toEqual([
      ["1", "3857", "POINT(1 2)"],
      ["2", null, null],
      ["3", "4326", "POINT(2.35 48.86)"],
      ["4", "0", "GEOMETRYCOLLECTION EMPTY"],
      ["5", "3857", "MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,9 5,9 9,5 5),(6 5.5,7 5.5,7 6,6 5.5)))"],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("a geometry larger than every buffer arrives whole", async () => {
    const both = await prepared(
      `CREATE TABLE t (id INT PRIMARY KEY, g LINESTRING NOT NULL);
       INSERT INTO t VALUES (1, ST_GeomFromText(CONCAT('LINESTRING(', REPEAT('0.1 0.2,', 80000), '7 8)'), 3857))`,
    );
    const { report } = await copy(both);
    expect(await rows(both.pg, "SELECT ST_NPoints(g), ST_SRID(g), ST_AsText(ST_EndPoint(g)) FROM t")).toEqual([
      ["80001", "3857", "POINT(7 8)"],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("a value that was moved, and one whose SRID was changed, are found by their keys", async () => {
    const both = await prepared(
      `CREATE TABLE t (id INT PRIMARY KEY, g GEOMETRY NOT NULL, SPATIAL KEY near (g));
       INSERT INTO t VALUES (1, ${place(amsterdam)}), (2, ${place(paris)}), (3, ${place(paris)})`,
    );
    await copy(both);
    const hooks = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
    expect((await verify({ ...both, options: { jobs: 2 } }, hooks)).equal).toBe(true);
    await both.pg.query(
      "UPDATE t SET g = ST_FlipCoordinates(g) WHERE id = 1; UPDATE t SET g = ST_SetSRID(g, 3857) WHERE id = 3",
    );
    const { verification } = await verify({ ...both, options: { jobs: 2 } }, hooks);
    expect(verification).toMatchObject({
      uncompared: [],
      differences: [{ differing: 2, keys: [{ what: "different" }, { what: "different" }] }],
    });
  });

  test("PostGIS is found in whatever schema it is, and geometry goes into a column that is there and one that options name", async () => {
    const elsewhere = "CREATE SCHEMA extensions; CREATE EXTENSION postgis SCHEMA extensions";
    const schema = `CREATE TABLE t (id INT PRIMARY KEY, g POINT NOT NULL, b POINT, SPATIAL KEY near (g));
       INSERT INTO t VALUES (1, ${place(amsterdam)}, ${place(paris)})`;
    const both = await prepared(schema, elsewhere);
    const types = { "t.b": "extensions.geography(Point,4326)" };
    const { report } = await copy(both, { types });
    expect(await columns(both, "t")).toEqual([
      ["id", "integer"],
      ["g", "extensions.geometry(Point)"],
      ["b", "extensions.geography(Point,4326)"],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    const there = await prepared(
      schema,
      `${elsewhere}; CREATE TABLE t (id int PRIMARY KEY, g extensions.geometry(Point, 4326), b bytea)`,
    );
    const filled = await copy(there, { content: "data" });
    expect(filled.report.verification).toMatchObject({ differences: [], uncompared: [] });
    expect(await rows(there.pg, "SELECT extensions.ST_AsText(g), length(b) FROM t")).toEqual([
      ["POINT(4.9 52.37)", "21"],
    ]);
  });

  test("without PostGIS it is well-known binary, and the fix is said before and after", async () => {
    const both = await prepared(
      `CREATE TABLE t (id INT PRIMARY KEY, g POINT NOT NULL, SPATIAL KEY near (g)); INSERT INTO t VALUES (1, ${place(paris)})`,
      "SELECT 1",
    );
    const { report } = await copy(both);
    expect(report.warnings).toContainEqual(expect.stringContaining("run CREATE EXTENSION postgis there"));
    expect(report.inventory).toContainEqual(
      expect.objectContaining({ kind: "index", name: "t.near", outcome: "reported" }),
    );
    expect(await columns(both, "t")).toContainEqual(["g", "bytea"]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });

  test("what the assessment says of each object is what becomes of it, with PostGIS and without", async () => {
    const schema = `CREATE TABLE t (id INT PRIMARY KEY, g POINT NOT NULL, SPATIAL KEY near (g), d POINT DEFAULT (POINT(1, 2)), x DOUBLE, y DOUBLE,
         made POINT AS (POINT(x, y)) STORED, CONSTRAINT right_ CHECK (ST_X(g) > 0)) COMMENT 'places';
       CREATE VIEW v AS SELECT id, g, ST_X(g) AS x FROM t; INSERT INTO t (id, g, x, y) VALUES (1, ${place(paris)}, 7, 8)`;
    for (const extension of ["CREATE EXTENSION postgis", "SELECT 1"]) {
      const both = await prepared(schema, extension);
      const found = await assessed(both);
      const { report } = await copy(both);
      expect(outcomes(found.objects)).toEqual(outcomes(report.inventory));
      expect(await rows(both.pg, "SELECT id, length(made::text) > 20 FROM t")).toEqual([["1", "t"]]);
      expect(found.findings.some(({ code }) => code === "no_postgis")).toBe(extension === "SELECT 1");
    }
  });

  const odd = "what MariaDB takes and PostGIS does not makes a table with well-known binary, and says why";
  if (maria)
    test(odd, async () => {
      const open = "X'0000000001030000000100000004000000'";
      const both = await prepared(
        `CREATE TABLE paths (id INT PRIMARY KEY, g LINESTRING NOT NULL, SPATIAL KEY near (g));
       INSERT INTO paths VALUES (1, ST_GeomFromWKB(X'0102000000010000000000000000000040000000000000F03F', 4326));
       CREATE TABLE far (id INT PRIMARY KEY, g POINT NOT NULL);
       INSERT INTO far VALUES (1, ST_GeomFromText('POINT(1 2)', 4000000));
       CREATE TABLE rings (id INT PRIMARY KEY, g GEOMETRY);
       INSERT INTO rings VALUES (1, CONCAT(${open}, REPEAT(X'00', 48), REPEAT(X'01', 16)))`,
      );
      const { report, logs } = await copy(both);
      for (const table of ["paths", "far", "rings"])
        expect(await columns(both, table), table).toContainEqual(["g", "bytea"]);
      expect(report.inventory).toContainEqual(
        expect.objectContaining({ name: "paths.near", outcome: "reported", note: expect.stringContaining("bytea") }),
      );
      expect(report.warnings).toContainEqual(
        expect.stringContaining("far.g: 1 geometries have an SRID other than 0 (as 4000000)"),
      );
      expect(logs.join()).toContain("holds a polygon whose ring is not closed");
      expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    });
});
