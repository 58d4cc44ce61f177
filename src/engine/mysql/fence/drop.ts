import { EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { type Cleaned, nothingCleaned } from "../../run/fence/fence.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";
import { dropStatement, lookUp, type ObjectIdentity, shapeOf } from "./identity.ts";
import { emptyOwnRows, type RowsSum } from "./own-rows.ts";
import type { Proof } from "./records.ts";

/**
 * Drops what a run made, in reverse order of making. Only what is known as ours is dropped (identity.ts); an object that
 * took the name later, or was rebuilt by somebody, is left alone. A table that another table's foreign key refers to is
 * not dropped, and is named. Nothing outside the target's database is ever touched, whatever a report or a record says.
 */

/** It is gone. */
const gone = new Set([1051, 1146, 1305, 1360, 1539, 4089, 4091]);

interface Recorded {
  object: MadeObject;
  /** Of every record under that name; empty for an object of a stored report. */
  proofs: readonly Proof[];
  /** Of kind `rows`: what the run put there. */
  rows?: RowsSum | undefined;
}

/** Whether an object stands in the session's database, as the server compares the names of databases. */
async function placedHere(session: Session): Promise<(object: MadeObject) => boolean> {
  const [[database, folding] = []] = await session.query("SELECT DATABASE(), @@lower_case_table_names");
  const folded = (name = "") => (folding === "0" ? name : name.toLowerCase());
  return ({ name }) => folded(name[0]) === folded(database ?? "");
}

interface Dropping {
  /** Asked before each drop. */
  guard(): Promise<void>;
  /** Hears of each object that is left, and why. */
  warn(message: string): void;
}

/** Of the session's database, and of no other. Errors: `dependents_exist`. */
export async function dropMade(session: Session, made: readonly Recorded[], dropping: Dropping): Promise<Cleaned> {
  const cleaned = nothingCleaned();
  const isHere = await placedHere(session);
  const todo = [...made].reverse();
  const here = todo.filter(({ object }) => isHere(object));
  // Nothing is dropped where something else would be left without what it refers to.
  await refuseDependents(
    session,
    here,
    new Set(here.map(({ object: { kind, name } }) => JSON.stringify([kind, name]))),
  );
  for (const recorded of todo) {
    const { object } = recorded;
    const why = isHere(object) ? undefined : "it is in another database than the named one";
    const became = why === undefined ? await dropOne(session, recorded, dropping.guard) : { left: why };
    if (typeof became === "string") cleaned[became]++;
    else {
      cleaned.left++;
      const words = `${printable(object.kind)} ${printable(object.name.join("."))}`;
      dropping.warn(`${words} was left in the target: ${became.left}`);
    }
  }
  return cleaned;
}

async function dropOne(
  session: Session,
  { object, proofs, rows }: Recorded,
  guard: () => Promise<void>,
): Promise<"dropped" | "absent" | { left: string }> {
  const sql = dropStatement(object);
  if (sql === undefined) return { left: "no copy makes such a thing" };
  await guard();
  // Under a name that nobody else could have given.
  for (const { meanwhile } of proofs)
    if (meanwhile !== undefined)
      await session.run(`DROP ${object.kind.toUpperCase()} IF EXISTS ${qualified(object.name[0] ?? "", meanwhile)}`);
  const found = await lookUp(session, object);
  if (found === undefined) return "absent";
  if (!(await isOurs(session, object, proofs, found)))
    return { left: "it is not the one that the copy made, or was changed since" };
  try {
    if (object.kind === "rows") return await emptyOwnRows(session, object.name, rows);
    await session.run(sql);
    return "dropped";
  } catch (error) {
    if (!gone.has(errorNumber(error) ?? 0)) throw error;
    return "absent";
  }
}

/** Whether what was found under an object's name is the one that a run made. */
export async function isOurs(
  session: Session,
  { kind, id, name }: MadeObject,
  proofs: readonly Proof[],
  found: ObjectIdentity,
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
    const others = await referencesTo(
      session,
      database,
      (table) => names.has(table),
      (schema, table) => all.has(JSON.stringify(["table", [schema, table]])),
    );
    if (others.length === 0) continue;
    const words = others
      .slice(0, 5)
      .map(({ schema, table, referenced }) => `${referenced} (by table ${qualified(schema, table)})`);
    throw new EngineError(
      "dependents_exist",
      `not dropped from the target, because a foreign key of something else refers to it: ${printable(words.join("; "))}`,
    );
  }
}

/** Foreign keys of tables that stay to tables of the database that go. */
export async function referencesTo(
  session: Session,
  database: string,
  goes: (referenced: string) => boolean,
  goesToo: (schema: string, table: string) => boolean,
): Promise<{ schema: string; table: string; referenced: string }[]> {
  const rows = await session.query(
    `SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE
      WHERE REFERENCED_TABLE_SCHEMA = ${literal(database)}`,
  );
  return rows
    .map(([schema, table, referenced]) => ({ schema: schema ?? "", table: table ?? "", referenced: referenced ?? "" }))
    .filter(({ schema, table, referenced }) => goes(referenced) && !goesToo(schema, table));
}
