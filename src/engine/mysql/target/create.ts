import { randomUUID } from "node:crypto";
import type { MadeObject } from "../../contract/index.ts";
import { workOff } from "../../run/pool.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";
import { isOurs } from "../fence/drop.ts";
import { fenced, type MysqlFence } from "../fence/fence.ts";
import { codeId, lookUp, shapeOf } from "../fence/identity.ts";
import { runTableDdl } from "./doubled-labels.ts";

/**
 * Making objects in a MySQL target so that a reset finds exactly these, at whatever point the run was killed: each is
 * recorded before it exists, by what it will be known. DDL commits by itself, so nothing here is in a transaction; the
 * session has to be one of the fence's.
 */

const deadlock = 1213;
const mostTries = 50;

/** DDL that commits by itself; changes of tables that foreign keys join get into each other's way, and one of them has to begin anew. */
export async function persistently(session: Session, sql: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await runTableDdl(session, sql);
      return;
    } catch (error) {
      if (errorNumber(error) !== deadlock || tries === mostTries) throw error;
    }
  }
}

/** Runs what makes an object under other settings of the session, and sets these back. */
type Around = (work: () => Promise<unknown>) => Promise<unknown>;

const plainly: Around = (work) => work();

/** [database, name] */
type Name = readonly [string, string];

const tableOf = (name: Name): MadeObject => ({ kind: "table", name: [...name] });

/** Records tables that are about to be made, all at once. */
export const recordTables = (session: Session, fence: MysqlFence, names: readonly Name[]): Promise<void> =>
  fenced(session, fence, () => fence.record(session, names.map(tableOf)));

/**
 * Makes a table that was recorded. `create` gets the comment (as SQL) that the table has to have until `finishTables`.
 * `doubled`: a label may be there twice, and its rows are copied by number. Errors: `target_not_empty` when something has the name.
 */
export async function createMarkedTable(
  session: Session,
  fence: MysqlFence,
  name: Name,
  create: (comment: string) => string,
  doubled = false,
): Promise<void> {
  await fence.guard(session);
  const sql = create(literal(fence.mark(name)));
  await (doubled ? runTableDdl(session, sql) : session.run(sql));
}

/** The last change of a table. */
export interface Finish {
  name: Name;
  /** Text, not SQL: the comment that the table is to have. */
  comment: string;
  /** shapeOf, where it is known. */
  shape?: string | undefined;
  /** Foreign keys in SQL that come with the comment. Their columns have an index already, which they would bring otherwise. */
  keys?: readonly string[];
  /** The tables that foreign keys of it refer to, these and earlier ones. */
  parents?: readonly Name[];
  /** It was changed. */
  did?(): void;
  /** Hears what the server said of the keys, in whose place it adds or gives up each by itself; rethrows what is not about them. */
  refused?(session: Session, error: unknown): Promise<void>;
}

/** Tables whose records are written together. */
const finishedTogether = 200;

/** Gives tables the comments and foreign keys that they are to have, and makes them known by their moments of creation. */
export async function finishTables(
  sessions: readonly [Session, ...Session[]],
  fence: MysqlFence,
  tables: readonly Finish[],
): Promise<void> {
  const [session] = sessions;
  const touches = neighbours(tables);
  for (let at = 0; at < tables.length; at += finishedTogether) {
    const some = tables.slice(at, at + finishedTogether);
    const shapes = some.map(({ shape }) => shape);
    const unknown = some.flatMap(({ name, shape }, index) => (shape === undefined ? [{ name, index }] : []));
    await workOff(
      sessions,
      unknown.map(({ name, index }) => ({
        async run(worker) {
          shapes[index] = await shapeOf(worker, name);
        },
      })),
    );
    const expected = some.map(({ name }, index) => {
      const shape = shapes[index];
      return { object: tableOf(name), proof: { mark: fence.mark(name), ...(shape === undefined ? {} : { shape }) } };
    });
    await fenced(session, fence, () => fence.expectAll(session, expected));
    // MariaDB lets two ALTER TABLE of tables that foreign keys join wait for each other for ever.
    await workOff(
      sessions,
      some.map((table) => ({
        touches: touches(table.name),
        async run(worker) {
          await fence.guard(worker);
          await changeLast(worker, table);
          table.did?.();
        },
      })),
    );
    await fence.settle(session);
  }
}

/** Of a table: itself and all that foreign keys join with it. */
function neighbours(tables: readonly Finish[]): (name: Name) => string[] {
  const key = (name: Name) => qualified(...name).toLowerCase();
  const joined = new Map<string, Set<string>>();
  const join = (one: string, other: string) => joined.set(one, (joined.get(one) ?? new Set([one])).add(other));
  for (const { name, parents = [] } of tables)
    for (const parent of parents) {
      join(key(name), key(parent));
      join(key(parent), key(name));
    }
  return (name) => [...(joined.get(key(name)) ?? [key(name)])];
}

async function changeLast(session: Session, { name, comment, keys = [], refused }: Finish): Promise<void> {
  const change = (added: readonly string[]) => {
    const changes = [...added.map((key) => `ADD ${key}`), `COMMENT = ${literal(comment)}`];
    return persistently(session, `ALTER TABLE ${qualified(...name)} ${changes.join(", ")}`);
  };
  try {
    await change(keys);
  } catch (error) {
    if (keys.length === 0 || refused === undefined) throw error;
    await refused(session, error);
    await change([]);
  }
}

/**
 * Takes a table of an earlier epoch on as one that is being made: it has its mark again, and no foreign keys of the run's,
 * which would hold other tables. False where it is gone, or is not the one that was made.
 */
export async function reopenTable(session: Session, fence: MysqlFence, name: Name): Promise<boolean> {
  const table = tableOf(name);
  const found = await lookUp(session, table);
  const known = await fence.adopt(session, table);
  if (found === undefined || known === undefined) return false;
  if (!(await isOurs(session, known.object, known.proofs, found))) return false;
  await fence.guard(session);
  if (!known.proofs.some(({ mark }) => mark === found.comment)) {
    const mark = fence.remark(name);
    const shape = await shapeOf(session, name);
    await fence.expect(session, table, { mark, ...(shape === undefined ? {} : { shape }) });
    await persistently(session, `ALTER TABLE ${qualified(...name)} COMMENT = ${literal(mark)}`);
    await fence.identify(session);
    await fence.expect(session, table, { mark });
    await fence.identify(session);
  }
  const keys = await session.query(
    `SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS
      WHERE TABLE_SCHEMA = ${literal(name[0])} AND TABLE_NAME = ${literal(name[1])} AND CONSTRAINT_TYPE = 'FOREIGN KEY'`,
  );
  const others = await fence.othersConstraints(keys.map(([key]) => key ?? ""));
  const drops = keys.flatMap(([key = ""]) =>
    others.has(key ?? "") ? [] : [`DROP FOREIGN KEY ${identifier(key ?? "")}`],
  );
  if (drops.length > 0) {
    await persistently(session, `ALTER TABLE ${qualified(...name)} ${drops.join(", ")}`);
  }
  return true;
}

/**
 * Makes a view, or a sequence of MariaDB's, under a name of our own and renames it when it is known by its text. `create`
 * gets the quoted name to use. Errors: `target_not_empty` when something has the name.
 */
export async function makeRenamed(
  session: Session,
  fence: MysqlFence,
  kind: "view" | "sequence",
  name: Name,
  create: (name: string) => string,
  around: Around = plainly,
): Promise<void> {
  const [database] = name;
  const object: MadeObject = { kind, name: [...name] };
  const meanwhile = `_rowferry ${randomUUID()}`;
  const made: MadeObject = { kind, name: [database, meanwhile] };
  await fence.guard(session);
  await fence.record(session, [object]);
  await fence.expect(session, object, { meanwhile });
  await around(() => session.run(create(qualified(...made.name))));
  const id = (await lookUp(session, made))?.id;
  if (id !== undefined) await fence.expect(session, object, { id, meanwhile });
  await session.run(`RENAME TABLE ${qualified(...made.name)} TO ${qualified(...name)}`);
  await fence.identify(session);
}

/** Makes a routine, trigger or event whose body, as information_schema will show it, is known. */
export async function makeCode(
  session: Session,
  fence: MysqlFence,
  object: MadeObject,
  statement: string,
  body: string,
  around: Around = plainly,
): Promise<void> {
  await fence.guard(session);
  await fence.record(session, [object]);
  await fence.expect(session, object, { id: codeId(body) });
  await around(() => session.run(statement));
  await fence.identify(session);
}
