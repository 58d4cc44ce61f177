import { counted } from "../../../guard/text.ts";
import { EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { sharedKinds } from "../../run/fence/claims.ts";
import { type Cleaned, nothingCleaned } from "../../run/fence/fence.ts";
import { type Address, addressOf, type Resolved, resolve } from "../catalogue/address.ts";
import type { Session } from "../driver/connection.ts";
import { engineError, serverMessage, sqlState } from "../driver/errors.ts";
import { identifier, qualified } from "../driver/names.ts";
import { refuseDependents } from "./dependents.ts";
import { dropCircle } from "./drop-circle.ts";
import { largeObjectsKind, oidsOf, unlinkAll } from "./large-object-list.ts";

/**
 * Drops what a run made, in reverse order of making: another's object that came to depend on one of ours stops the drop
 * and is named. CASCADE is left to objects of ours that need each other (drop-circle.ts). Only what has both the recorded name and the recorded id is ours; an
 * object that took the name later is left alone.
 */

/** Objects in a transaction: each takes locks, of which a server has some thousands. */
const batch = 100;

/** Codes that say that an object, or what it hangs on, is not there (any more), or that nothing can be called so. */
const gone = new Set(["42P01", "3F000", "42704", "42883", "42703", "42P06", "42809", "42601", "22023", "22P02"]);
/** Something depends on it, or (42P16) it is a part of what another object has. */
const dependents = new Set(["2BP01", "42P16"]);

interface Held {
  object: MadeObject;
  /** What the server said. */
  why: unknown;
}

interface Dropping {
  /** Runs work in a guarded transaction. */
  transact(work: () => Promise<void>): Promise<void>;
  /** Also, while no other run can come to need what it drops. */
  transactShared(work: () => Promise<void>): Promise<void>;
  /** The name of another run that needs a shared object, and has it in its list from now on. */
  needed(object: MadeObject): Promise<string | undefined>;
  /** Hears of each object that is left. */
  warn(message: string): void;
}

/** Errors: `dependents_exist` with the server's list of them. */
export async function dropMade(session: Session, made: readonly MadeObject[], dropping: Dropping): Promise<Cleaned> {
  const { transact, transactShared, needed, warn } = dropping;
  await refuseDependents(session, made);
  const cleaned = nothingCleaned();
  // An event trigger would run at each drop that comes before its own.
  const isFirst = ({ kind }: MadeObject) => kind === "event trigger";
  const all = unique(made).reverse();
  let left = [...all.filter(isFirst), ...all.filter((object) => !isFirst(object))];
  for (let again = false; ; again = true) {
    const held: Held[] = [];
    for (const some of batches(left)) {
      const became: Awaited<ReturnType<typeof dropOne>>[] = [];
      const run = some.some(isShared) ? transactShared : transact;
      await run(async () => {
        for (const object of some) {
          const other = await needed(object);
          if (other !== undefined) warn(`${wordsOf(object)} was left in the target: ${printable(other)} needs it`);
          became.push(other === undefined ? await dropOne(session, object, warn) : "left");
        }
      });
      for (const one of became) {
        if (typeof one === "object" && "object" in one) held.push(one);
        else if (typeof one === "object") {
          cleaned.dropped += one.dropped;
          cleaned.absent += one.absent;
        }
        // What was held in an earlier round went along with what it hung on.
        else cleaned[one === "absent" && again ? "dropped" : one]++;
      }
    }
    if (held.length === 0) return cleaned;
    // Objects refer to each other both ways (a sequence and the default that reads it): as long as a round frees
    // some, another may free the rest.
    if (held.length === left.length && !(await dropOneCircle(session, held, transact)))
      throw dependentsExist(held, cleaned);
    left = held.map(({ object }) => object);
  }
}

const isShared = ({ kind }: MadeObject) => sharedKinds.has(kind);
const wordsOf = ({ kind, name }: MadeObject) => `${printable(kind)} ${printable(qualified(...name))}`;

/** An entry of many large objects has a transaction of its own, and so have shared objects, which nothing else holds up. */
function batches(objects: readonly MadeObject[]): MadeObject[][] {
  const all: MadeObject[][] = [];
  for (const object of objects) {
    const last = all.at(-1);
    const isAlone =
      object.kind === largeObjectsKind ||
      last?.[0]?.kind === largeObjectsKind ||
      isShared(object) !== last?.some(isShared);
    if (last !== undefined && last.length < batch && !isAlone) last.push(object);
    else all.push([object]);
  }
  return all;
}

function dependentsExist(held: readonly Held[], { dropped }: Cleaned): EngineError {
  const names = held
    .slice(0, 5)
    .map(({ object, why }) => `${object.kind} ${qualified(...object.name)} (${serverMessage(why)})`);
  return new EngineError(
    "dependents_exist",
    `${counted(held.length, "object")} not dropped from the target, because something else depends on ${held.length === 1 ? "it" : "them"}: ${names.join("; ")}. Before that ${dropped === 0 ? "nothing" : counted(dropped, "object")} of the list ${dropped > 1 ? "were" : "was"} dropped. Drop what depends on the rest, then reset again`,
    { cause: held[0]?.why },
  );
}

/** Frees the first circle that consists of held objects alone. */
async function dropOneCircle(
  session: Session,
  held: readonly { object: MadeObject }[],
  transact: (work: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const own = new Set(held.flatMap(({ object: { id } }) => (id === undefined ? [] : [id])));
  for (const { object } of held) {
    const address = addressOf(object);
    if (object.id === undefined || address === undefined || partKinds.has(object.kind)) continue;
    let dropped = false;
    await transact(async () => {
      const found = await ours(session, object, address);
      if (found === undefined || found.id !== object.id) return;
      await session.run("SAVEPOINT circle");
      dropped = await dropCircle(session, found.id, dropStatement(object, found.identity), own);
      await session.run(dropped ? "RELEASE SAVEPOINT circle" : "ROLLBACK TO SAVEPOINT circle");
    });
    if (dropped) return true;
  }
  return false;
}

/** They have no DROP … CASCADE of their own, or take nothing along. */
const partKinds = new Set(
  "constraint,default,domain constraint,trigger,rule,policy,large object,user mapping".split(","),
);

async function dropOne(
  session: Session,
  object: MadeObject,
  warn: (message: string) => void,
): Promise<keyof Cleaned | Held | Pick<Cleaned, "dropped" | "absent">> {
  const words = wordsOf(object);
  const leave = (why: string) => {
    warn(`${words} was left in the target: ${why}`);
    return "left" as const;
  };
  const oids = object.kind === largeObjectsKind ? oidsOf(object) : undefined;
  if (oids !== undefined) {
    const dropped = await unlinkAll(session, oids);
    return { dropped, absent: oids.length - dropped };
  }
  const address = addressOf(object);
  if (address === undefined) return leave("no copy makes such a thing");
  await session.run("SAVEPOINT one");
  let mine = false;
  try {
    const found = await ours(session, object, address);
    if (found !== undefined && found.id === object.id) {
      mine = true;
      const shells = object.kind === "operator" ? await shellsOf(session, found.id) : [];
      // Bound, and so one statement at most.
      for (const identity of [found.identity, ...shells]) await session.query(dropStatement(object, identity), []);
    }
  } catch (error) {
    await session.run("ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one");
    const state = sqlState(error) ?? "";
    if (gone.has(state)) {
      const now = await renamed(session, object);
      return now === undefined ? "absent" : leave(`it is now called ${printable(now)}`);
    }
    if (dependents.has(state)) return { object, why: error };
    throw engineError(error, session.place, `dropping ${words}`);
  }
  await session.run("RELEASE SAVEPOINT one");
  return mine ? "dropped" : leave("it is not the one that the copy made, but took its name later");
}

/** What has the name now; a table of ours is locked, so that no other takes its name before it is dropped. */
async function ours(session: Session, object: MadeObject, address: Address): Promise<Resolved | undefined> {
  const [found] = await resolve(session, [address]);
  if (object.kind !== "table" || found?.id !== object.id) return found;
  await session.run(`LOCK TABLE ${qualified(...object.name)} IN ACCESS EXCLUSIVE MODE`);
  return (await resolve(session, [address]))[0];
}

/** Operators that this one names as its commutator or negator, that were never made, and that no other one names. */
async function shellsOf(session: Session, id: string): Promise<string[]> {
  const rows = await session.query<{ identity: string }>(
    `SELECT i.identity FROM pg_catalog.pg_operator o
       JOIN pg_catalog.pg_operator s ON s.oid IN (o.oprcom, o.oprnegate) AND s.oid <> o.oid AND s.oprcode = 0,
            LATERAL pg_catalog.pg_identify_object('pg_catalog.pg_operator'::pg_catalog.regclass, s.oid, 0) i
      WHERE o.oid = $1::pg_catalog.oid AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_operator x WHERE x.oid <> o.oid AND s.oid IN (x.oprcom, x.oprnegate))`,
    [id.slice(id.indexOf(":") + 1)],
  );
  return rows.map(({ identity }) => identity);
}

/** The name of a relation that was made under another one. */
async function renamed(session: Session, { id }: MadeObject): Promise<string | undefined> {
  const oid = /^1259:(\d{1,10})$/.exec(id ?? "")?.[1];
  if (oid === undefined) return undefined;
  const [row] = await session.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`,
    [oid],
  );
  return row?.name;
}

/** The statement that drops one object; `identity` is the target server's own writing of name and arguments. */
function dropStatement({ kind, name }: MadeObject, identity: string): string {
  const [first = "", second = "", third = ""] = name;
  switch (kind) {
    case "constraint":
      return `ALTER TABLE ${qualified(first, second)} DROP CONSTRAINT ${identifier(third)}`;
    case "default":
      return `ALTER TABLE ${qualified(first, second)} ALTER COLUMN ${identifier(third)} DROP DEFAULT`;
    case "domain constraint":
      return `ALTER DOMAIN ${identity.slice(identity.indexOf(" on ") + 4)} DROP CONSTRAINT ${identifier(second)}`;
    case "trigger":
    case "rule":
    case "policy":
      return `DROP ${kind.toUpperCase()} ${identifier(third)} ON ${qualified(first, second)}`;
    case "function":
    case "procedure":
    case "aggregate":
      return `DROP ROUTINE ${identity}`;
    case "user mapping":
      return `DROP USER MAPPING FOR ${first === "public" ? "PUBLIC" : identifier(first)} SERVER ${identifier(second)}`;
    case "foreign-data wrapper":
      return `DROP FOREIGN DATA WRAPPER ${identifier(first)}`;
    case "type":
    case "domain":
      return `DROP TYPE ${qualified(first, second)}`;
    case "large object":
      return `SELECT pg_catalog.lo_unlink(${Number(first)})`;
    case "cast":
    case "transform":
    case "operator":
    case "operator class":
    case "operator family":
      return `DROP ${kind.toUpperCase()} ${identity}`;
    default:
      return `DROP ${kind.toUpperCase()} ${qualified(...name)}`;
  }
}

function unique(made: readonly MadeObject[]): MadeObject[] {
  return [...new Map(made.map((object) => [JSON.stringify([object.kind, object.name, object.id]), object])).values()];
}
