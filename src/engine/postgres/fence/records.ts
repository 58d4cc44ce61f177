import type { MadeObject } from "../../contract/index.ts";
import { type Address, addressed, addressOf } from "../catalogue/address.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal } from "../driver/names.ts";

/**
 * What a transaction adds to the fence's table: the objects that it makes, with their ids, and the parts that it finishes.
 * All is written in one round trip, last before the transaction's end: it is there exactly when what it tells of is. A
 * transaction that marks no part writes a row of kind `own`: by these rows each of the run's is known (others-work.ts).
 */
interface Records {
  made(session: Session, objects: readonly MadeObject[]): void;
  part(session: Session, part: string, rows: number): void;
  /** Forgets what an earlier transaction of the session, which did not come to its end, wanted to add. */
  begin(session: Session): void;
  write(session: Session): Promise<void>;
  /** Marks the savepoint that the transaction is in, which has a number of its own, as the run's. */
  wrote(session: Session): Promise<void>;
}

interface Open {
  objects: MadeObject[];
  parts: { part: string; rows: number }[];
}

/** The run whose rows they are. */
interface Owned {
  /** Quoted. */
  table: string;
  owner: string;
  epoch: number;
}

const own = ({ table, owner, epoch }: Owned) =>
  `INSERT INTO ${table} (owner, kind, name, epoch) VALUES (${literal(owner)}, 'own', '', ${epoch})`;

export function createRecords(owned: Owned): Records {
  const { table, owner, epoch } = owned;
  const all = new WeakMap<Session, Open>();
  const of = (session: Session): Open => {
    const open = all.get(session) ?? { objects: [], parts: [] };
    all.set(session, open);
    return open;
  };
  return {
    made: (session, objects) => void of(session).objects.push(...objects),
    part: (session, part, rows) => void of(session).parts.push({ part, rows }),
    begin: (session) => void all.delete(session),
    wrote: (session) => session.run(own(owned)),
    async write(session) {
      const { objects, parts } = of(session);
      all.delete(session);
      const marks = parts.map(({ part, rows }) => `(${literal(owner)}, 'part', ${literal(part)}, ${epoch}, '${rows}')`);
      // What is written in a savepoint tells another transaction than what is written outside it.
      const text =
        marks.length === 0
          ? own(owned)
          : `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES ${marks.join(", ")}`;
      if (objects.length > 0) await writeMade(session, objects, { ...owned, text });
      else await session.run(text);
    },
  };
}

interface Where extends Owned {
  /** A statement to run on the same way. */
  text: string;
}

/** With the ids of all at once, or, when one was not made after all, of one after the other. */
async function writeMade(session: Session, objects: readonly MadeObject[], where: Where): Promise<void> {
  const { text } = where;
  const known = objects.map((object) => ({ object, address: addressOf(object) }));
  try {
    await session.run(`SAVEPOINT ids; ${insertMade(where, known)}; RELEASE SAVEPOINT ids; ${text}`);
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    await session.run("ROLLBACK TO SAVEPOINT ids; RELEASE SAVEPOINT ids");
    const [only] = objects;
    if (objects.length === 1 && only !== undefined) {
      // It is not there: the record has no id, and nothing is ever dropped by it.
      await session.run(`${insertMade(where, [{ object: only, address: undefined }])}; ${text}`);
      return;
    }
    for (const object of objects) await writeMade(session, [object], { ...where, text: "" });
    if (text !== "") await session.run(text);
  }
}

/** In the order of the list. Kinds without an address have no id. */
function insertMade(
  { table, owner, epoch }: Owned,
  objects: readonly { object: MadeObject; address: Address | undefined }[],
): string {
  const rows = objects.map(({ object, address }, at) => ({ at, ...object, ...address, object: object.name }));
  return `INSERT INTO ${table} (owner, kind, name, epoch)
    SELECT ${literal(owner)}, 'made', pg_catalog.json_strip_nulls(pg_catalog.json_build_object('kind', r.kind, 'name', r.object,
             'id', a.classid::int8 || ':' || a.objid::int8))::text, ${epoch}
      FROM pg_catalog.json_to_recordset(${literal(JSON.stringify(rows))}) AS r(at int4, kind text, object json, type text, names text[], args text[])
      LEFT JOIN LATERAL ${addressed} a ON true ORDER BY r.at`;
}
