import { createWkb, type Wkb } from "../wkb.ts";
import type { Srids } from "./fields.ts";

/**
 * Turns a geometry as it is selected (SRID in big-endian, well-known binary in either order) into what MySQL and MariaDB
 * keep: SRID and well-known binary in little-endian, the longitude before the latitude. `put` takes it piece by piece.
 */
export function createShapeTurn(srids: Srids | undefined, put: (piece: Uint8Array, length: number) => void): Wkb {
  let isRound = false;
  return createWkb({
    turned: true,
    put,
    srid(srid) {
      isRound = srids?.get(srid) === true;
      return srids === undefined || srids.has(srid) ? undefined : "an SRID that the target does not know";
    },
    place(x, y) {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return "a coordinate that is no number";
      // MySQL's functions refuse what is outside. By its words -180 is, but all of them take it.
      return isRound && !(x >= -180 && x <= 180 && y >= -90 && y <= 90)
        ? "a place that is not on the globe"
        : undefined;
    },
  });
}
