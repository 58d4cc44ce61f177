import { randomUUID } from "node:crypto";
import type { MadeObject } from "../../contract/index.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { lookUp, lookUpTables } from "./identity.ts";
import { updateRows } from "./table.ts";

/** What the fence's table says of the objects that a run made: rows of kind `made`, the object in `name`, its proof in `body`. */

/** By what an object is known as ours where its id is not known, or not any more. */
export interface Proof {
  /** Comment of a table. */
  mark?: string;
  /** Of a table whose comment is being set: shapeOf (identity.ts). */
  shape?: string;
  /** Id that it will have. */
  id?: string;
  /** Name of our own under which it is made, before it is renamed. */
  meanwhile?: string;
}

interface MadeRecord {
  row: number;
  object: MadeObject;
  proof: Proof;
}

export const recordKey = ({ kind, name }: Pick<MadeObject, "kind" | "name">): string => JSON.stringify([kind, name]);

/** `rows`: what to read in the place of the fence's table, as ownedRows (table.ts) writes it. */
export async function readRecords(session: Session, rows: string, owner: string): Promise<MadeRecord[]> {
  const found = await session.query(
    `SELECT id, name, body FROM ${rows} r WHERE kind = 'made' AND owner = ${literal(owner)} ORDER BY id`,
  );
  return found.map(([id, name, body]) => ({
    row: Number(id),
    object: JSON.parse(name ?? "") as MadeObject,
    proof: JSON.parse(body ?? "{}") as Proof,
  }));
}

export interface Records {
  record(session: Session, objects: readonly MadeObject[]): Promise<void>;
  /** The mark of a table that was recorded and not finished: its comment while it is filled. */
  mark(name: readonly string[]): string;
  /** Puts down by what a recorded object may be known, besides its id; `identify` will look for its id again. */
  expect(session: Session, object: MadeObject, proof: Proof): Promise<void>;
  /** As `expect`, for many. */
  expectAll(session: Session, objects: readonly { object: MadeObject; proof: Proof }[]): Promise<void>;
  identify(session: Session): Promise<void>;
  /** As `identify`; what was identified is from then on known by its id alone. */
  settle(session: Session): Promise<void>;
  /** Takes on what an earlier epoch recorded, as if it had been recorded here; undefined where it did not. */
  adopt(session: Session, object: MadeObject): Promise<{ object: MadeObject; proofs: Proof[] } | undefined>;
  /** A new mark for a table that was recorded; `expect` writes it down. */
  remark(name: readonly string[]): string;
}

const newMark = () => `rowferry ${randomUUID()}`;

/** Objects that are recorded by one statement. */
const together = 100;

/** Of one run, in the fence's table. */
export function createRecords({ table, owner, epoch }: { table: string; owner: string; epoch: number }): Records {
  const marks = new Map<string, string>();
  /** Rows of what was recorded last under that kind and name. */
  const recorded = new Map<string, { row: number; object: MadeObject }>();
  /** As they were when the first was adopted. */
  let earlier: MadeRecord[] | undefined;
  const pending = new WeakMap<Session, Set<string>>();
  const awaitId = (session: Session, key: string) => {
    pending.set(session, (pending.get(session) ?? new Set()).add(key));
  };
  const identified = async (session: Session) => {
    const keys = pending.get(session) ?? new Set();
    pending.delete(session);
    const found: { row: number; object: MadeObject }[] = [];
    const all = [...keys].flatMap((key) => recorded.get(key) ?? []);
    const tables = all.filter(({ object }) => object.kind === "table");
    const named = tables.map(({ object }) => object.name);
    const ids = new Map((await lookUpTables(session, named)).map((one, at) => [tables[at], one?.id]));
    for (const known of all) {
      const id = ids.has(known) ? ids.get(known) : (await lookUp(session, known.object))?.id;
      if (id === undefined) continue;
      known.object = { ...known.object, id };
      found.push(known);
    }
    return found;
  };
  const find = (object: MadeObject) => {
    const found = recorded.get(recordKey(object));
    if (found === undefined) throw new Error(`${object.kind} ${object.name.join(".")} was not recorded`);
    return found;
  };
  /** Ids of rows that one statement added, by what is in `name`. */
  const addedRows = async (session: Session, first: number, count: number) =>
    new Map(
      (
        await session.query(
          `SELECT name, id FROM ${table} WHERE id >= ${first} AND kind = 'made' AND owner = ${literal(owner)} ORDER BY id LIMIT ${count}`,
        )
      ).map(([name, id]) => [name, Number(id)]),
    );
  const expectAll: Records["expectAll"] = async (session, objects) => {
    const rows = objects.map(({ object, proof }) => ({ id: find(object).row, body: JSON.stringify(proof) }));
    await updateRows(session, table, rows);
    for (const { object } of objects) awaitId(session, recordKey(object));
  };

  return {
    async record(session, objects) {
      for (let at = 0; at < objects.length; at += together) {
        const some = objects.slice(at, at + together).map((object) => {
          const mark = newMark();
          return { object, name: JSON.stringify(object), mark, proof: object.kind === "table" ? { mark } : {} };
        });
        const values = some.map(
          ({ name, proof }) =>
            `(${literal(owner)}, 'made', ${literal(name)}, ${epoch}, ${literal(JSON.stringify(proof))})`,
        );
        const { insertId } = await session.run(
          `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES ${values.join(", ")}`,
        );
        const rows = some.length > 1 ? await addedRows(session, insertId, some.length) : undefined;
        for (const { object, name, mark } of some) {
          const row = rows === undefined ? insertId : rows.get(name);
          if (row === undefined) throw new Error(`the record of ${object.kind} ${object.name.join(".")} is not found`);
          if (object.kind === "table") marks.set(JSON.stringify(object.name), mark);
          recorded.set(recordKey(object), { row, object });
          // A table is known by its mark until it is finished.
          if (object.kind !== "table") awaitId(session, recordKey(object));
        }
      }
    },
    mark(name) {
      const mark = marks.get(JSON.stringify(name));
      if (mark === undefined) throw new Error(`table ${name.join(".")} was not recorded`);
      return mark;
    },
    remark(name) {
      const mark = newMark();
      marks.set(JSON.stringify(name), mark);
      return mark;
    },
    async adopt(session, object) {
      const key = recordKey(object);
      earlier ??= await readRecords(session, table, owner);
      const known = earlier.filter((one) => recordKey(one.object) === key);
      const last = known.at(-1);
      if (last === undefined) return undefined;
      recorded.set(key, { row: last.row, object: last.object });
      if (last.proof.mark !== undefined) marks.set(JSON.stringify(object.name), last.proof.mark);
      return { object: last.object, proofs: known.map(({ proof }) => proof) };
    },
    expect: (session, object, proof) => expectAll(session, [{ object, proof }]),
    expectAll,
    async identify(session) {
      for (const { row, object } of await identified(session))
        await session.run(
          `UPDATE ${table} SET name = ${literal(JSON.stringify(object))} WHERE id = ${row} AND kind = 'made'`,
        );
    },
    async settle(session) {
      const found = await identified(session);
      const rows = found.map(({ row, object }) => ({ id: row, name: JSON.stringify(object), body: "{}" }));
      await session.run("START TRANSACTION");
      await updateRows(session, table, rows);
      await session.run("COMMIT");
    },
  };
}
