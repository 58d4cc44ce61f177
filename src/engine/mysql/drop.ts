import { EngineError, type MadeObject } from "../contract.ts";
import { printable } from "../postgres/names.ts";
import { dropStatement, type Found, lookUp, shapeOf } from "./identity.ts";
import { literal, qualified } from "./names.ts";
import type { Proof } from "./records.ts";
import type { Session } from "./session.ts";
import { errorNumber } from "./target.ts";

/**
 * Drops what a run made, in reverse order of making. Only what is known as ours is dropped (identity.ts); an object that
 * took the name later, or was rebuilt by somebody, is left alone. A table that another table's foreign key refers to is
 * not dropped, and is named.
 */

/** It is gone. */
const gone = new Set([1051, 1146, 1305, 1360, 1539, 4089, 4091]);

interface Recorded {
  object: MadeObject;
  /** Of every record under that name; empty for an object of a stored report. */
  proofs: readonly Proof[];
}

/** `guard` is asked before each drop; `warn` hears of each object that is left. Errors: `dependents_exist`. */
export async function dropMade(
  session: Session,
  made: readonly Recorded[],
  guard: () => Promise<void>,
  warn: (message: string) => void,
): Promise<void> {
  const all = new Set(made.map(({ object: { kind, name } }) => JSON.stringify([kind, name])));
  const todo = [...made].reverse();
  // Nothing is dropped where something else would be left without what it refers to.
  await refuseDependents(session, todo, all);
  for (const { object, proofs } of todo) {
    const sql = dropStatement(object);
    const words = `${printable(object.kind)} ${printable(object.name.join("."))}`;
    if (sql === undefined) {
      warn(`${words} was left in the target: no copy makes such a thing`);
      continue;
    }
    await guard();
    // Under a name that nobody else could have given.
    for (const { meanwhile } of proofs)
      if (meanwhile !== undefined)
        await session.run(`DROP ${object.kind.toUpperCase()} IF EXISTS ${qualified(object.name[0] ?? "", meanwhile)}`);
    const found = await lookUp(session, object);
    if (found === undefined) continue;
    if (!(await isOurs(session, object, proofs, found))) {
      warn(`${words} was left in the target: it is not the one that the copy made, or was changed since`);
      continue;
    }
    try {
      await session.run(sql);
    } catch (error) {
      if (!gone.has(errorNumber(error) ?? 0)) throw error;
    }
  }
}

/** Whether what was found under an object's name is the one that a run made. */
export async function isOurs(
  session: Session,
  { kind, id, name }: MadeObject,
  proofs: readonly Proof[],
  found: Found,
): Promise<boolean> {
  if (found.id !== undefined && (found.id === id || proofs.some((proof) => proof.id === found.id))) return true;
  if (kind !== "table") return false;
  if (proofs.some(({ mark }) => mark !== undefined && mark === found.comment)) return true;
  const shapes = proofs.flatMap(({ shape }) => shape ?? []);
  return shapes.length > 0 && shapes.includes((await shapeOf(session, name)) ?? "");
}

async function refuseDependents(session: Session, made: readonly Recorded[], all: ReadonlySet<string>): Promise<void> {
  const tables = made.filter(({ object }) => object.kind === "table");
  const databases = new Set(tables.map(({ object }) => object.name[0] ?? ""));
  for (const database of databases) {
    const names = new Set(tables.flatMap(({ object: { name } }) => (name[0] === database ? (name[1] ?? "") : [])));
    const rows = await session.query(
      `SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE
        WHERE REFERENCED_TABLE_SCHEMA = ${literal(database)}`,
    );
    const others = rows.filter(
      ([schema, table, referenced]) =>
        names.has(referenced ?? "") && !all.has(JSON.stringify(["table", [schema ?? "", table ?? ""]])),
    );
    if (others.length === 0) continue;
    const words = others
      .slice(0, 5)
      .map(([schema, table, referenced]) => `${referenced} (by table ${qualified(schema ?? "", table ?? "")})`);
    throw new EngineError(
      "dependents_exist",
      `not dropped from the target, because a foreign key of something else refers to it: ${printable(words.join("; "))}`,
    );
  }
}
