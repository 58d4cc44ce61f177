import type { MadeObject } from "../../contract/index.ts";
import type { Session } from "../driver/connection.ts";

/** Large objects on the list of what a run made: many in one entry, whose name has ranges of oids, as `16400-16899` or `17001`. */

export const largeObjectsKind = "large objects";

/** Objects in one entry, and in one transaction: each takes a lock, of which a server has some thousands. */
export const mostInEntry = 500;

export function largeObjectsMade(oids: readonly number[]): MadeObject {
  const ranges: [number, number][] = [];
  for (const oid of oids) {
    const last = ranges.at(-1);
    if (last !== undefined && oid === last[1] + 1) last[1] = oid;
    else ranges.push([oid, oid]);
  }
  return {
    kind: largeObjectsKind,
    name: ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)),
  };
}

/** Undefined for an entry that no copy writes: others can edit the list. */
export function oidsOf({ name }: Pick<MadeObject, "name">): number[] | undefined {
  const oids: number[] = [];
  for (const range of name) {
    const [, first, last = first] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(range) ?? [];
    const size = Number(last) - Number(first) + 1;
    if (!(size > 0 && oids.length + size <= mostInEntry) || Number(last) >= 2 ** 32) return undefined;
    for (let oid = Number(first); oid <= Number(last); oid++) oids.push(oid);
  }
  return oids;
}

/** Removes those that are there, in the open transaction; answers how many. */
export async function unlinkAll(session: Session, oids: readonly number[]): Promise<number> {
  const [row] = await session.query<{ count: number }>(
    `SELECT pg_catalog.count(pg_catalog.lo_unlink(m.oid)) AS count FROM pg_catalog.pg_largeobject_metadata m
      WHERE m.oid = ANY ($1::pg_catalog.oid[])`,
    [oids],
  );
  return row?.count ?? 0;
}
