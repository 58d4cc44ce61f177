import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import { printable } from "../../../contract/text/printable.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { raiseCounter } from "../../../mysql/target/auto-increment.ts";
import { type Finish, finishTables, persistently } from "../../../mysql/target/create.ts";
import { isRefusedObject, schemaRefused } from "../../../mysql/target/refusal.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { workOff } from "../../../run/pool.ts";
import { leniently } from "../columns/row-size.ts";
import { targetName } from "../copy/target.ts";
import { type ForeignKeyPlan, foreignKeyName, keyOutcome } from "../tables/foreign-keys.ts";
import type { SourceSequence } from "../tables/sequences.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** What follows a table's rows and indexes: the next number; at the end foreign keys and comments. */

/** The next number right after the source's. InnoDB goes past the largest that is there by itself. */
export async function setCounter(
  session: Session,
  plan: TablePlan,
  sequences: readonly SourceSequence[],
): Promise<string | undefined> {
  const next = nextNumber(plan, sequences);
  if (typeof next !== "bigint") return next;
  const table = qualified(...targetName(plan));
  const column = plan.columns.find(({ source }) => source.name === plan.counter?.column)?.name ?? "";
  const [[largest] = []] = await session.query(`SELECT COALESCE(MAX(${identifier(column)}), 0) FROM ${table}`);
  // Most often it stands there already.
  if (next > BigInt(largest ?? 0) + 1n) await session.run(`ALTER TABLE ${table} AUTO_INCREMENT = ${next}`);
  return undefined;
}

/** Rows alone: of a table that was there, before its rows. */
export async function setPresentCounter(
  session: Session,
  fence: MysqlFence,
  plan: TablePlan,
  sequences: readonly SourceSequence[],
): Promise<string | undefined> {
  const next = nextNumber(plan, sequences);
  return typeof next === "bigint" ? raiseCounter(session, fence, targetName(plan), next) : next;
}

/** Words where it is not known; undefined where the table has no counter. */
function nextNumber({ counter, source }: TablePlan, sequences: readonly SourceSequence[]): bigint | string | undefined {
  if (counter === undefined) return undefined;
  const found = sequences.find(({ oid }) => oid === counter.sequence.oid);
  if (found === undefined || found.last === null)
    return `the sequence of ${tableName(source)}.${counter.column} could not be read: the next number is that after the largest; GRANT SELECT on it fixes the next copy`;
  return BigInt(found.last) + (found.called ? 1n : 0n);
}

/** Types, keys or columns between which the server makes no foreign key, in words that it has for failures of its files too. */
const impossible = new Set([1005]);

/** `strict`: `on_object_error: fail`. */
interface FinishOptions {
  strict: boolean;
  warn(words: string): void;
  failed(error: unknown): void;
  did(units?: number): void;
  /** Bytes of the source's tables, by oid. */
  bytes: ReadonlyMap<number, number>;
}

/** As `endTables` counts them: a table's last change, and a key with each MiB of its table. */
export const unitsOfEnd = (keys: readonly ForeignKeyPlan[], bytes: FinishOptions["bytes"]): number =>
  bytes.size + keys.reduce((sum, key) => sum + keyUnits(key, bytes), 0);

const keyUnits = ({ table }: ForeignKeyPlan, bytes: FinishOptions["bytes"]): number =>
  1 + (bytes.get(table.source.oid) ?? 0) / 2 ** 20;

export interface Ended {
  entries: KnownEntry[];
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
  { strict, warn, failed, did, bytes }: FinishOptions,
): Promise<Ended> {
  const orphans = new Map<ForeignKeyPlan, string>();
  await workOff(
    workers,
    keys.map((key) => ({
      async run({ target }) {
        const [[count] = []] = await target.query(key.orphans);
        orphans.set(key, count ?? "0");
        did(keyUnits(key, bytes));
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
      const words = refusalOf(error);
      if (strict)
        throw schemaRefused(
          `foreign key ${printable(foreignKeyName(key.table.source, key.source))}`,
          error as EngineError,
        );
      refused.set(key, words);
    }
  };
  const own = (plan: TablePlan) => keys.filter(({ table }) => table.source.oid === plan.source.oid);
  for (const key of keys) if (!hasIndex(key)) await addOne(session, key);
  const finish = (plan: TablePlan): Finish => {
    const last = own(plan).filter(hasIndex);
    const start = `ALTER TABLE ${qualified(...targetName(plan))} ADD `.length;
    return {
      name: targetName(plan),
      comment: plan.comment,
      did: () => did(),
      keys: last.map(({ add }) => add.slice(start)),
      parents: own(plan).map(({ parent }) => targetName(parent)),
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

/** Whether an index of the table begins with the key's columns; the server would make one else, and change the table by more than the key. */
const hasIndex = ({ table, source }: ForeignKeyPlan): boolean =>
  table.indexes.some(({ whole, columns }) => whole && source.columns.every((column, at) => columns[at] === column));

/** The server's words, where it makes no such key. */
function refusalOf(error: unknown): string {
  if (isRefusedObject(error) || (error instanceof EngineError && impossible.has(errorNumber(error) ?? 0)))
    return error.message;
  throw error;
}

function keyEntry(
  key: ForeignKeyPlan,
  refused: string | undefined,
  orphans: string,
  warn: (words: string) => void,
): KnownEntry {
  const name = foreignKeyName(key.table.source, key.source);
  const entry = (outcome: InventoryEntry["outcome"], notes: readonly string[]): KnownEntry => ({
    kind: "constraint",
    name: printable(name),
    outcome,
    ...(notes.length === 0 ? {} : { note: notes.join("; "), definition: key.source.definition }),
  });
  if (refused !== undefined)
    return { ...entry("reported", [`the target's server did not take it: ${refused}`]), lostKey: true };
  if (orphans !== "0") {
    const words = `${orphans} rows of ${printable(tableName(key.table.source))} have no parent in ${printable(`${key.source.referencedSchema}.${key.source.referencedTable}`)}: the foreign key ${identifier(key.name)} was added without a check of existing rows`;
    warn(words);
    return entry("reported", [...key.remarks, words]);
  }
  for (const remark of key.lost) warn(`foreign key ${printable(name)}: ${remark}`);
  return entry(keyOutcome(key), key.remarks);
}
