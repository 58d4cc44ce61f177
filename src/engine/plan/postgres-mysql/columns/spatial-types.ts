import { literal } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { ColumnDefinition, TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { type CopyToLoadFieldKind, kind, type Srids } from "../../../rows/copy-to-load/fields.ts";
import type { ColumnPlan } from "./column-plan.ts";
import type { TargetType } from "./target-type.ts";

/**
 * PostgreSQL's point and polygon, and PostGIS's geometry and geography, as MySQL's types. What is selected is the SRID and
 * well-known binary (shape-turn.ts); a value that the target has no equal for breaks the guess, and the column is text.
 */
type Shape = Pick<TargetType, "sql" | "kind" | "bytes" | "select" | "unkeyed" | "srids">;

/** `bytes`: the pointer that a *BLOB leaves in the row. */
const stored = { kind: kind.shape, bytes: 12, unkeyed: "never" } as const;

/** Of a column that the data made text. */
export const noShape = "since the target's geometry does not take a value";

const names = [
  "GEOMETRY",
  "POINT",
  "LINESTRING",
  "POLYGON",
  "MULTIPOINT",
  "MULTILINESTRING",
  "MULTIPOLYGON",
  "GEOMETRYCOLLECTION",
];
const collection = 7;

/** A column of the plane; MySQL uses its spatial indexes only where a column has one SRID. */
const flat = (name: string, maria: boolean): string => (maria ? name : `${name} SRID 0`);

export function ownShape(type: "point" | "polygon", maria: boolean): Shape {
  if (type === "point")
    return {
      ...stored,
      sql: flat("POINT", maria),
      select: (column) => `'\\x000000000000000001'::pg_catalog.bytea || pg_catalog.point_send(${column})`,
    };
  return {
    ...stored,
    sql: flat("POLYGON", maria),
    // The first point again, which closes the ring.
    select: (column) =>
      `'\\x00000000000000000300000001'::pg_catalog.bytea || pg_catalog.int4send(pg_catalog.npoints(${column}) + 1) || pg_catalog.substr(pg_catalog.poly_send(${column}), 5) || pg_catalog.substr(pg_catalog.poly_send(${column}), 5, 16)`,
  };
}

/** Undefined: the type's values have no equal, as those of three dimensions and curves, or their SRID is not known there. */
export function postgisShape(
  { type, spatial, modifier }: ColumnDefinition,
  { maria, srids }: { maria: boolean; srids?: Srids | undefined },
): Shape | undefined {
  if (spatial === null) return undefined;
  const geography = type === "geography";
  const { srid, shape, isFlat } = modified(modifier, geography);
  if (!isFlat || shape > collection) return undefined;
  if (srid > 0 && srids !== undefined && !srids.has(srid)) return undefined;
  const name = !maria && shape === collection ? "GEOMCOLLECTION" : (names[shape] as string);
  const schema = identifier(spatial);
  return {
    ...stored,
    sql: maria || srid === 0 ? name : `${name} SRID ${srid}`,
    select(column) {
      const value = geography ? `${column}::${schema}.geometry` : column;
      return `pg_catalog.int4send(${schema}.st_srid(${value})) || ${schema}.st_asbinary(${value}, 'NDR')`;
    },
    ...(srids === undefined ? {} : { srids }),
  };
}

/** As PostGIS packs it: 21 bits of the SRID with its sign, six of the kind, one each for Z and M. */
function modified(modifier: number, geography: boolean): { srid: number; shape: number; isFlat: boolean } {
  if (modifier < 0) return { srid: geography ? 4326 : 0, shape: 0, isFlat: true };
  const srid = ((modifier & 0x0fffff00) - (modifier & 0x10000000)) >> 8;
  return { srid, shape: (modifier & 0xfc) >> 2, isFlat: (modifier & 3) === 0 };
}

/** Of these a text keeps more than MySQL's own types: `infinity`, `NaN`, an offset. */
const kept = new Set<CopyToLoadFieldKind>([kind.boolean, kind.date, kind.float, kind.numeric]);

/** For a text: a value as PostgreSQL writes it. */
export function asWritten(column: ColumnPlan): ColumnPlan {
  if (kept.has(column.type.kind)) return { ...column, type: { ...column.type, kind: kind.text } };
  const { select: _, srids: __, ...type } = column.type;
  const sql = "LONGTEXT";
  return column.type.kind === kind.shape ? { ...column, sql, type: { ...type, sql, kind: kind.text } } : column;
}

/**
 * The SRIDs that a MySQL target knows, where tables have columns of PostGIS; MariaDB takes any. Those whose angles are no
 * degrees are left out, since their values' range is another.
 */
export async function readSrids(session: Session, tables: readonly TableDefinition[]): Promise<Srids | undefined> {
  if (session.server.maria || !tables.some(({ columns }) => columns.some(({ spatial }) => spatial !== null)))
    return undefined;
  const degree = `DEFINITION LIKE ${literal('%UNIT["degree"%')}`;
  const rows = await session.query(
    `SELECT SRS_ID, DEFINITION LIKE 'GEOGCS%' FROM information_schema.ST_SPATIAL_REFERENCE_SYSTEMS WHERE DEFINITION NOT LIKE 'GEOGCS%' OR ${degree}`,
  );
  return new Map(rows.map(([srid, round]) => [Number(srid), round === "1"]));
}
