import { largestSrid } from "../../plan/mysql-postgres/columns/spatial-types.ts";
import { createWkb, type Wkb } from "../wkb.ts";

/**
 * Whether a geometry as MySQL and MariaDB keep it is one that PostGIS takes as it is. MariaDB keeps lines of one point,
 * rings that are not closed, and bytes that are no geometry.
 */
export const createShapeCheck = (): Wkb =>
  createWkb({
    empties: true,
    srid: (srid) => (srid > largestSrid ? `an SRID above ${largestSrid}` : undefined),
    place: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? "a coordinate that is no number" : undefined),
  });
