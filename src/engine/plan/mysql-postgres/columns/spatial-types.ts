import type { SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { kind, type MysqlToCopyField } from "../../../rows/mysql-to-copy/fields.ts";

/** MySQL's geometry types as PostGIS's where the target has it, else as bytes of well-known binary. */

/** PostGIS's name and the number that well-known binary has for it. */
const shapes: Record<string, [name: string, number: number]> = {
  geometry: ["Geometry", 0],
  point: ["Point", 1],
  linestring: ["LineString", 2],
  polygon: ["Polygon", 3],
  multipoint: ["MultiPoint", 4],
  multilinestring: ["MultiLineString", 5],
  multipolygon: ["MultiPolygon", 6],
  geomcollection: ["GeometryCollection", 7],
  geometrycollection: ["GeometryCollection", 7],
};

/** PostGIS makes another SRID of a larger one. */
export const largestSrid = 999_999;

/** `postgis`: the schema of the extension; undefined: the target has none. `refused`: a value is none that PostGIS takes. */
export function geometryType(
  { dataType, srid }: SourceColumn,
  postgis: string | undefined,
  { nullable, refused }: { nullable: boolean; refused: boolean },
): { sql: string; field: MysqlToCopyField; note?: string } {
  const [name, shape] = shapes[dataType] ?? ["Geometry", 0];
  if (postgis !== undefined && !refused && (srid ?? 0) <= largestSrid) {
    const of = (srid ?? 0) > 0 ? `(${name},${srid})` : shape === 0 ? "" : `(${name})`;
    const field: MysqlToCopyField = { kind: kind.ewkb, nullable, shape };
    return {
      sql: `${qualified(postgis, "geometry")}${of}`,
      field,
      ...(srid === null ? { note: "each value with its own SRID" } : {}),
    };
  }
  const why =
    postgis === undefined
      ? "; CREATE EXTENSION postgis in the target before the copy makes it geometry"
      : ", since PostGIS does not take a value or its SRID";
  const note = `geometry as well-known binary (WKB), without its SRID${srid === null ? "" : ` (${srid} in every row)`}${why}`;
  return { sql: "bytea", field: { kind: kind.geometry, nullable }, note };
}

/** A type of PostGIS that reads EWKB, as the server writes its name. */
export const isPostgis = (base: string): boolean => /(?:^|\.)"?(?:geometry|geography)"?$/.test(base);

export const isShape = ({ kind: how }: MysqlToCopyField): boolean => how === kind.geometry || how === kind.ewkb;
