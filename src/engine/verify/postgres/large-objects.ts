import type { InventoryEntry } from "../../contract/index.ts";
import type { Session } from "../../postgres/driver/connection.ts";

/** Large objects that are equal on both sides are only counted: a database may have millions. */

const perPage = 2_000;
const chunkBytes = 1 << 20;
/** More are one entry with their number. */
const mostNamed = 20;

interface Content {
  oid: number;
  /** Hash of the bytes. */
  value: string;
}

/** Hashed on the server, a megabyte at a time. */
export const readContents = (session: Session, oids: readonly number[]): Promise<Content[]> =>
  session.query<Content>(
    `WITH RECURSIVE chunk(oid, at, hash, length) AS (
       SELECT m.oid, 0::int8, pg_catalog.md5(b.bytes), pg_catalog.octet_length(b.bytes)
         FROM pg_catalog.pg_largeobject_metadata m CROSS JOIN LATERAL (SELECT pg_catalog.lo_get(m.oid, 0, ${chunkBytes}) AS bytes OFFSET 0) b
        WHERE m.oid = ANY ($1::pg_catalog.oid[])
       UNION ALL
       SELECT c.oid, c.at + ${chunkBytes}, pg_catalog.md5(b.bytes), pg_catalog.octet_length(b.bytes)
         FROM chunk c CROSS JOIN LATERAL (SELECT pg_catalog.lo_get(c.oid, c.at + ${chunkBytes}, ${chunkBytes}) AS bytes OFFSET 0) b
        WHERE c.length = ${chunkBytes})
     SELECT oid::int8 AS oid, pg_catalog.string_agg(hash, '' ORDER BY at) AS value FROM chunk GROUP BY oid`,
    [oids],
  );

/** By oid: all that an object is, but for its comment. */
async function readMarks(session: Session, oids: readonly number[]): Promise<Map<number, string>> {
  const contents = new Map((await readContents(session, oids)).map(({ oid, value }) => [oid, value]));
  const rows = await session.query<{ oid: number; held: string }>(
    `SELECT m.oid::int8 AS oid, pg_catalog.concat_ws('/', pg_catalog.pg_get_userbyid(m.lomowner), m.lomacl::text) AS held
       FROM pg_catalog.pg_largeobject_metadata m WHERE m.oid = ANY ($1::pg_catalog.oid[])`,
    [oids],
  );
  return new Map(rows.map(({ oid, held }) => [oid, `${contents.get(oid)}/${held}`]));
}

interface LargeObjects {
  /** Of the source's that the target has not, or may have otherwise. */
  unequal: number[];
  /** Of the equal ones. */
  entries: InventoryEntry[];
}

export async function compareLargeObjects(source: Session, target: Session): Promise<LargeObjects> {
  const unequal: number[] = [];
  const first: number[] = [];
  let equal = 0;
  for (let after = 0; ; ) {
    const page = await source.query<{ oid: number }>(
      `SELECT m.oid::int8 AS oid FROM pg_catalog.pg_largeobject_metadata m WHERE m.oid > $1::oid ORDER BY m.oid LIMIT ${perPage}`,
      [after],
    );
    const oids = page.map(({ oid }) => oid);
    if (oids.length === 0) break;
    after = oids.at(-1) ?? after;
    const [ours, theirs] = await Promise.all([readMarks(source, oids), readMarks(target, oids)]);
    for (const oid of oids) {
      if (ours.get(oid) !== theirs.get(oid)) unequal.push(oid);
      else if (++equal <= mostNamed) first.push(oid);
    }
  }
  const names = equal <= mostNamed ? first.map(String) : [unequal.length === 0 ? `all ${equal}` : `${equal} others`];
  return { unequal, entries: names.map((name) => ({ kind: "large object", name, outcome: "copied" })) };
}
