import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../src/engine/contract.ts";
import { type Flavour, type Pair, pair, rows, type Servers, startServers } from "./mysql-support.ts";
import { run } from "./run.ts";

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
       INSERT INTO t VALUES (1, ST_GeomFromText(CONCAT('LINESTRING(', REPEAT('0.1 0.2,', 300000), '7 8)'), 3857))`,
    );
    const { report } = await copy(both);
    expect(await rows(both.pg, "SELECT ST_NPoints(g), ST_SRID(g), ST_AsText(ST_EndPoint(g)) FROM t")).toEqual([
      ["300001", "3857", "POINT(7 8)"],
    ]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  });
});
