import { EngineError, type MadeObject } from "../contract.ts";
import type { Session } from "./connection.ts";
import { engineError, serverWords, sqlState } from "./errors.ts";
import { identifier, qualified } from "./names.ts";

/**
 * Drops what a run made, in reverse order of making, never with CASCADE: another's object that came to depend on
 * one of ours stops the drop and is named.
 */

/** Objects in a transaction: each takes locks, of which a server has some thousands. */
const batch = 100;

/** Codes that say that an object, or what it hangs on, is not there (any more). */
const gone = new Set(["42P01", "3F000", "42704", "42883", "42703", "42P06", "42809"]);
const dependents = "2BP01";

/** `transact` runs work in a guarded transaction. Errors: `dependents_exist` with the server's list of them. */
export async function dropMade(
  session: Session,
  made: readonly MadeObject[],
  transact: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let left = unique(made).reverse();
  for (;;) {
    const held: { object: MadeObject; why: unknown }[] = [];
    for (let start = 0; start < left.length; start += batch) {
      const some = left.slice(start, start + batch);
      const heldHere: typeof held = [];
      await transact(async () => {
        heldHere.length = 0;
        for (const object of some) {
          const why = await dropOne(session, object);
          if (why !== undefined) heldHere.push({ object, why });
        }
      });
      held.push(...heldHere);
    }
    if (held.length === 0) return;
    // Objects refer to each other both ways (a sequence and the default that reads it): as long as a round frees
    // some, another may free the rest.
    if (held.length === left.length) {
      const names = held
        .slice(0, 5)
        .map(({ object, why }) => `${object.kind} ${qualified(...object.name)} (${serverWords(why)})`);
      throw new EngineError(
        "dependents_exist",
        `not dropped from the target, because something else depends on it: ${names.join("; ")}`,
        {
          cause: held[0]?.why,
        },
      );
    }
    left = held.map(({ object }) => object);
  }
}

async function dropOne(session: Session, object: MadeObject): Promise<unknown> {
  await session.run("SAVEPOINT one");
  try {
    // Bound, and so one statement at most: the list may come from a ConfigMap that others can edit.
    await session.query(dropStatement(object), []);
  } catch (error) {
    await session.run("ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one");
    const state = sqlState(error) ?? "";
    if (gone.has(state)) return undefined;
    if (state === dependents) return error;
    throw engineError(error, session.place, `dropping ${object.kind} ${qualified(...object.name)}`);
  }
  await session.run("RELEASE SAVEPOINT one");
  return undefined;
}

/**
 * The statement that drops one object. Names: [schema, name]; [schema, table, name] for constraints, triggers, rules,
 * policies and defaults; [schema, name, "(argument types)"] for routines; [name] for schemas, extensions and other
 * database-wide objects; further kinds carry the text that their DROP takes, as `["sql", "OPERATOR s.+ (a, b)"]`.
 */
export function dropStatement({ kind, name }: MadeObject): string {
  const [first = "", second = "", third = ""] = name;
  switch (kind) {
    case "constraint":
      return `ALTER TABLE IF EXISTS ${qualified(first, second)} DROP CONSTRAINT IF EXISTS ${identifier(third)}`;
    case "default":
      return `ALTER TABLE IF EXISTS ${qualified(first, second)} ALTER COLUMN ${identifier(third)} DROP DEFAULT`;
    case "trigger":
    case "rule":
    case "policy":
      return `DROP ${kind.toUpperCase()} IF EXISTS ${identifier(third)} ON ${qualified(first, second)}`;
    case "function":
    case "procedure":
    case "aggregate":
      return `DROP ${kind.toUpperCase()} IF EXISTS ${qualified(first, second)} ${third}`;
    case "large object":
      return `SELECT pg_catalog.lo_unlink(oid) FROM pg_catalog.pg_largeobject_metadata WHERE oid = ${Number(first)}`;
    case "sql":
      return `DROP ${first.replace(/;\s*$/, "")}`;
    default:
      if (!/^[a-z ]+$/.test(kind))
        throw new EngineError("unknown_kind", `an object of kind "${kind}" cannot be dropped`);
      return `DROP ${kind.toUpperCase()} IF EXISTS ${qualified(...name)}`;
  }
}

function unique(made: readonly MadeObject[]): MadeObject[] {
  return [...new Map(made.map((object) => [JSON.stringify([object.kind, object.name]), object])).values()];
}
