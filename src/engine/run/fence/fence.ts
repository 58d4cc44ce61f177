import { randomInt } from "node:crypto";
import { EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { everything, type NameClaim } from "./claims.ts";
import type { FinishedCopy } from "./finished-options.ts";

/**
 * The table `_rowferry` in the target: fence and checkpoint of the runs into it (design.md).
 * Each target engine has one implementation of this interface, which speaks of one run.
 *
 * Invariants: one row names owner and epoch. No two runs claim one name, and a run makes, drops or fills only what it claims. A worker raises the epoch when it opens the fence and ends its
 * predecessor's sessions; every data transaction calls `guard` first, which reads the epoch FOR SHARE and
 * throws EngineError `superseded` when it moved. An object is recorded as made before it is created (in the
 * same transaction where the engine has transactional DDL).
 */
export interface Fence<Connection> {
  readonly epoch: number;
  /**
   * Says what this run is about to make, drop or fill, beside what it has made and what `made` lists; before its first write.
   * Errors: `target_in_use`, where another run has claimed some of it.
   */
  claim(claims: readonly NameClaim[], made?: readonly MadeObject[]): Promise<void>;
  /** What others have claimed, without what several may share. */
  claimedByOthers(): Promise<readonly OthersClaim[]>;
  /** What this owner made so far, over all epochs, in order. */
  made(): Promise<MadeObject[]>;
  /** Records objects that are about to be made, on the connection (and in the transaction) that will make them; written by `identify` where a transaction holds both. */
  record(connection: Connection, objects: readonly MadeObject[]): Promise<void>;
  /** Last before such a transaction's end: writes what was recorded in it, with the ids of what was made, and its parts. */
  identify(connection: Connection): Promise<void>;
  /** First statement of each data transaction. */
  guard(connection: Connection): Promise<void>;
  /** Marks a part (a table, or a chunk of one) as done, in the data transaction. */
  partDone(connection: Connection, part: string, rows: number): Promise<void>;
  /** The parts that earlier epochs and this one marked as done; `transaction` wrote mark and rows, where an engine tells it of each row. */
  parts(): Promise<{ part: string; rows: number; epoch: number; transaction?: string }[]>;
  /** The transactions of this owner, over all attempts, where an engine tells it of each row and object. */
  transactions?(): Promise<string[]>;
  /** Makes the savepoint known that the open transaction is in: it counts as a transaction there. */
  wrote?(connection: Connection): Promise<void>;
  /** Stores the verified result; a later worker of this owner answers with it instead of copying again. */
  saveResult(report: FinishedCopy): Promise<void>;
  savedResult(): Promise<FinishedCopy | undefined>;
  /**
   * Drops in reverse order what was made and still has its name and id (never CASCADE onto others' objects) and forgets
   * these objects, the result, and the marks of the parts that `keep` does not hold (all, where it is left out).
   */
  clean(made: readonly MadeObject[], keep?: (part: string) => boolean): Promise<Cleaned>;
  /** Removes what `_rowferry` has of this run; the last run drops the table. Repeatable. */
  drop(): Promise<void>;
  close(): Promise<void>;
}

/** How many objects of a list were dropped, were not there (any more), and were left since they are not the run's. */
export interface Cleaned {
  dropped: number;
  absent: number;
  left: number;
}

/** Of lists of made objects, which may have some in common. */
export const eachOnce = (made: readonly MadeObject[]): MadeObject[] => [
  ...new Map(made.map((object) => [JSON.stringify([object.kind, object.name, object.id]), object])).values(),
];

export const nothingCleaned = (): Cleaned => ({ dropped: 0, absent: 0, left: 0 });

/** Runs work between `begin` and COMMIT; rolls back when it rejects. `begin`: the statement, or statements, that open the transaction. */
export async function transacted<T>(
  session: { run(text: string): Promise<unknown> },
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await session.run(begin);
    const result = await work();
    await session.run("COMMIT");
    return result;
  } catch (error) {
    // A session that is gone has rolled back already.
    await session.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** A claim of another run. */
export interface OthersClaim extends NameClaim {
  owner: string;
  ownerName: string;
  epoch: number;
}

/** Names that a message lists. */
const mostClaims = 3;

/** Another run in a target: which it is, and how the target is free again. */
interface OtherRun {
  /** Of the fence, quoted as the engine quotes it. */
  table: string;
  owner: string | undefined;
  ownerName: string | undefined;
  /** The table is of an earlier version, which has no column for the owner. */
  single?: boolean;
}

const inUse = ({ ownerName }: OtherRun) =>
  `the target database is in use by ${printable(ownerName ?? "an unknown run")}`;

/** What ends it, for a caller of the API and on the command line. */
function freed({ table, owner, single = false }: OtherRun): string {
  const isPlain = owner !== undefined && /^[\w.:-]+$/.test(owner);
  const statement = single || !isPlain ? `DROP TABLE ${table}` : `DELETE FROM ${table} WHERE owner = '${owner}'`;
  const command = owner === undefined ? "" : ` (command line: rowferry reset URL --run ${printable(owner)})`;
  return `wait for that run, retry it or reset it; if it was deleted, run ${statement} in the target and name the tables that it made in options.drop${command}`;
}

/** The blocker of an assessment, whose object lists what is claimed. */
export const claimedByOther = (other: OtherRun): { reason: string; fix: string } => ({
  reason: `${inUse(other)}, which makes the same objects there`,
  fix: freed(other),
});

/** Another run is met, which has claimed `claims`; none: everything. What is missing in its row is undefined. */
export function targetInUse(other: OtherRun, claims: readonly NameClaim[] = []): EngineError {
  const more = claims.length > mostClaims ? ` and ${claims.length - mostClaims} more` : "";
  const names = claims.slice(0, mostClaims).map(({ kind, name }) => printable(`${kind} ${name}`));
  const why =
    claims.length === 0 ? `: its table ${other.table} is there` : `, which makes ${names.join(", ")}${more} too`;
  return new EngineError(
    "target_in_use",
    `${inUse(other)}${why}; ${freed(claims.length === 0 ? { ...other, single: true } : other)}`,
  );
}

/** Errors: `target_in_use`, which names what the first of these runs has claimed of what this one wants. */
export function refuseTaken(table: string, others: readonly OthersClaim[]): void {
  const [first] = others;
  if (first === undefined) return;
  const names = others.filter((one) => one.owner === first.owner && one.kind !== everything.kind);
  throw targetInUse({ table, owner: first.owner, ownerName: first.ownerName }, names);
}

/**
 * The id of a new table's first row. A table that is made anew begins with epoch 1 again: by its row's id a worker that was
 * cut off from an earlier table is told from one of the new.
 */
export const randomRow = (): number => randomInt(1, 2 ** 40);

/** How long a run waits for the lock under which runs come into a target and leave it, each for a moment. */
export const registerPatienceMs = 60_000;

/** `holder`: whose session has that lock, in words, and `fix` ends it; undefined where the server does not say. */
export function registerLocked(
  holder: string | undefined,
  { waitedMs, fix }: { waitedMs: number; fix: string },
): EngineError {
  return new EngineError(
    "target_locked",
    `the target database's lock for starting and ending runs was not free for ${Math.round(waitedMs / 1000)} s: it is held by ${printable(holder ?? "a session that the server does not name")}. Wait for that session or end it (${fix}), then run again`,
    { retryable: true },
  );
}

/** What `_rowferry` in a target says of a run. */
export interface FoundRun {
  owner: string;
  ownerName: string;
  epoch: number;
  made: MadeObject[];
  /** Whether the copy was done and verified; only its table is left. */
  finished: boolean;
}
