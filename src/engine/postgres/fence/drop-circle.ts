import type { Session } from "../driver/connection.ts";

/**
 * Drops objects that need each other in a circle, as a type and the functions that read and write it do: no order of
 * plain DROPs works for these. CASCADE takes them, but only where pg_depend proves beforehand that all that would go is
 * the run's own, and the server says afterwards that no more went.
 */

/** Something that a DROP … CASCADE would take. */
interface Reached {
  /** `catalogue:oid`. */
  id: string;
  /** A column's number; 0 for the whole object. */
  sub: number;
  /** Ids of what it is a part of, and goes with even without CASCADE. */
  partOf: string[];
}

/** How many objects the server will name as dropped beside the first; undefined when one of them is not the run's. Pure. */
export function takenAlong(first: string, reached: readonly Reached[], own: ReadonlySet<string>): number | undefined {
  const mine = new Set(own);
  for (let size = -1; size !== mine.size; ) {
    size = mine.size;
    for (const { id, partOf } of reached) if (partOf.some((whole) => mine.has(whole))) mine.add(id);
  }
  if (!reached.every(({ id }) => mine.has(id))) return undefined;
  const whole = new Set(reached.filter(({ sub }) => sub === 0).map(({ id }) => id));
  const silent = ({ id, sub, partOf }: Reached) =>
    id === first || (sub > 0 && whole.has(id)) || partOf.some((one) => whole.has(one));
  return reached.filter((one) => !silent(one)).length;
}

/**
 * Runs `drop`, a DROP without CASCADE, with it. In an open transaction, which the caller takes back when this answers
 * false: something of others would go, or went.
 */
export async function dropCircle(
  session: Session,
  id: string,
  drop: string,
  own: ReadonlySet<string>,
): Promise<boolean> {
  const expected = takenAlong(id, await readReached(session, id), own);
  if (expected === undefined) return false;
  await session.run("SET LOCAL client_min_messages = notice");
  let taken = 0;
  const silence = session.hear(({ message = "", detail }) => {
    taken += detail === undefined ? 1 : Number(/\d+/.exec(message)?.[0] ?? Number.NaN);
  });
  try {
    // Bound, and so one statement at most.
    await session.query(`${drop} CASCADE`, []);
  } finally {
    silence();
  }
  await session.run("SET LOCAL client_min_messages = warning");
  return taken === expected;
}

/** Everything that hangs on the object, near or far, and what these are parts of. */
function readReached(session: Session, id: string): Promise<Reached[]> {
  const [catalog, oid] = id.split(":");
  return session.query<Reached>(
    `WITH RECURSIVE r(classid, objid, sub) AS (
       SELECT $1::pg_catalog.oid, $2::pg_catalog.oid, 0
       UNION
       SELECT n.* FROM r, LATERAL (
         SELECT d.classid, d.objid, d.objsubid FROM pg_catalog.pg_depend d
          WHERE d.refclassid = r.classid AND d.refobjid = r.objid AND (r.sub = 0 OR d.refobjsubid = r.sub)
         UNION ALL
         SELECT d.refclassid, d.refobjid, d.refobjsubid FROM pg_catalog.pg_depend d
          WHERE d.classid = r.classid AND d.objid = r.objid AND (r.sub = 0 OR d.objsubid = r.sub) AND d.deptype IN ('i', 'P', 'S', 'e')) n)
     SELECT r.classid::int8 || ':' || r.objid::int8 AS id, r.sub,
            ARRAY(SELECT d.refclassid::int8 || ':' || d.refobjid::int8 FROM pg_catalog.pg_depend d
                   WHERE d.classid = r.classid AND d.objid = r.objid AND d.objsubid = r.sub AND d.deptype IN ('a', 'i', 'P', 'S', 'e', 'x')) AS "partOf"
       FROM r`,
    [catalog, oid],
  );
}
