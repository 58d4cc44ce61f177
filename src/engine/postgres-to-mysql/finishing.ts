import { EngineError, type InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { type Finish, finishTables, persistently } from "../mysql/making.ts";
import { identifier, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { errorNumber } from "../mysql/target.ts";
import { printable } from "../postgres/names.ts";
import { workOff } from "../postgres/work.ts";
import { tableName } from "./catalogue.ts";
import { type ForeignKeyPlan, foreignKeyName, keyOutcome } from "./foreign-keys.ts";
import type { TablePlan } from "./plan.ts";
import type { SourceSequence } from "./sequences.ts";
import { nameOf } from "./target.ts";
import { leniently } from "./wide.ts";

/** What follows a table's rows: its other indexes at once, the next number; at the end foreign keys and comments. */

const duplicate = 1062;

export async function buildIndexes(session: Session, fence: MysqlFence, plan: TablePlan): Promise<void> {
  if (plan.later.length === 0) return;
  await fence.guard(session);
  const adds = plan.later.map(({ sql }) => `ADD ${sql}`).join(", ");
  try {
    await session.run(`ALTER TABLE ${qualified(...nameOf(plan))} ${adds}`);
  } catch (error) {
    if (errorNumber(error) !== duplicate || !(error instanceof EngineError)) throw error;
    throw new EngineError(
      "duplicate_key",
      `table ${printable(tableName(plan.source))}: a unique index cannot be built: ${error.message}`,
      { cause: error },
    );
  }
}

/** The next number right after the source's; `sequences` by their oids. InnoDB goes past the largest that is there by itself. */
export async function setCounter(
  session: Session,
  plan: TablePlan,
  sequences: ReadonlyMap<number, SourceSequence>,
): Promise<string | undefined> {
  const { counter } = plan;
  if (counter === undefined) return undefined;
  const found = sequences.get(counter.sequence.oid);
  if (found === undefined || found.last === null)
    return `the sequence of ${tableName(plan.source)}.${counter.column} could not be read: the next number is that after the largest; GRANT SELECT on it mends the next copy`;
  const next = BigInt(found.last) + (found.called ? 1n : 0n);
  const table = qualified(...nameOf(plan));
  const column = plan.columns.find(({ source }) => source.name === counter.column)?.name ?? "";
  const [[largest] = []] = await session.query(`SELECT COALESCE(MAX(${identifier(column)}), 0) FROM ${table}`);
  // Most often it stands there already.
  if (next > BigInt(largest ?? 0) + 1n) await session.run(`ALTER TABLE ${table} AUTO_INCREMENT = ${next}`);
  return undefined;
}

/** Types, keys or columns between which the server makes no foreign key. */
const impossible = new Set([1005, 1215, 1506, 1822, 1823, 1824, 1825, 1826, 1830, 1901, 3104, 3780, 3823, 6125]);

export interface Ended {
  entries: InventoryEntry[];
  made: ForeignKeyPlan[];
}

/**
 * The last change of each table: its own comment in place of the run's mark, and its foreign keys without proof, since rows
 * without a parent are counted and named before.
 */
export async function endTables(
  workers: readonly { target: Session }[],
  fence: MysqlFence,
  plans: Iterable<TablePlan>,
  keys: readonly ForeignKeyPlan[],
  warn: (words: string) => void,
  failed: (error: unknown) => void,
): Promise<Ended> {
  const orphans = new Map<ForeignKeyPlan, string>();
  await workOff(
    workers,
    keys.map((key) => ({
      weight: 0,
      async run({ target }) {
        const [[count] = []] = await target.query(key.orphans);
        orphans.set(key, count ?? "0");
        return [];
      },
    })),
    failed,
  );
  const { target: session } = workers[0] as { target: Session };
  const refused = new Map<ForeignKeyPlan, string>();
  const addOne = async (on: Session, key: ForeignKeyPlan) => {
    await fence.guard(on);
    try {
      await persistently(on, key.add);
    } catch (error) {
      refused.set(key, refusalOf(error));
    }
  };
  const byTable = keysByTable(keys);
  for (const key of keys) if (!key.indexed) await addOne(session, key);
  const finish = (plan: TablePlan): Finish => {
    const own = byTable.get(plan.source.oid) ?? [];
    const last = own.filter(({ indexed }) => indexed);
    return {
      name: nameOf(plan),
      comment: plan.comment,
      keys: last.map(({ add }) => add.slice(`ALTER TABLE ${qualified(...nameOf(plan))} ADD `.length)),
      parents: own.map(({ parent }) => parent),
      async refused(on, error) {
        refusalOf(error);
        for (const key of last) await addOne(on, key);
      },
    };
  };
  const others = workers.slice(1).map(({ target }) => target);
  const usual: Finish[] = [];
  const wide: Finish[] = [];
  for (const plan of plans) (plan.wide ? wide : usual).push(finish(plan));
  await finishTables([session, ...others], fence, usual);
  for (const one of wide) await leniently(session, true, () => finishTables([session], fence, [one]));
  return {
    entries: keys.map((key) => keyEntry(key, refused.get(key), orphans.get(key) ?? "0", warn)),
    made: keys.filter((key) => !refused.has(key)),
  };
}

/** By the oids of the tables that they stand on. */
export function keysByTable(keys: readonly ForeignKeyPlan[]): ReadonlyMap<number, ForeignKeyPlan[]> {
  const found = new Map<number, ForeignKeyPlan[]>();
  for (const key of keys) {
    const { oid } = key.table.source;
    found.set(oid, [...(found.get(oid) ?? []), key]);
  }
  return found;
}

/** The server's words, where it makes no such key. */
function refusalOf(error: unknown): string {
  if (!impossible.has(errorNumber(error) ?? 0) || !(error instanceof EngineError)) throw error;
  return error.message;
}

function keyEntry(
  key: ForeignKeyPlan,
  refused: string | undefined,
  orphans: string,
  warn: (words: string) => void,
): InventoryEntry {
  const name = foreignKeyName(key.table.source, key.source);
  const entry = (outcome: InventoryEntry["outcome"], notes: readonly string[]): InventoryEntry => ({
    kind: "constraint",
    name: printable(name),
    outcome,
    ...(notes.length === 0 ? {} : { note: notes.join("; "), definition: key.source.definition }),
  });
  if (refused !== undefined) {
    const words = `foreign key ${printable(name)} could not be made: ${refused}`;
    warn(words);
    return entry("reported", [words]);
  }
  if (orphans !== "0") {
    const words = `${orphans} rows of ${printable(tableName(key.table.source))} have no parent in ${printable(`${key.source.referencedSchema}.${key.source.referencedTable}`)}: the foreign key ${identifier(key.name)} was added without proof of them`;
    warn(words);
    return entry("reported", [...key.remarks, words]);
  }
  for (const remark of key.remarks) if (/not MySQL's/.test(remark)) warn(`foreign key ${printable(name)}: ${remark}`);
  return entry(keyOutcome(key), key.remarks);
}
