import { type CopyReport, EngineError, type MadeObject } from "./contract.ts";
import { printable } from "./postgres/names.ts";

/**
 * The table `_rowferry` in the target: fence and checkpoint of a run (design.md).
 * Each target engine has one implementation of this interface.
 *
 * Invariants: one row names owner and epoch. A worker raises the epoch when it opens the fence and ends its
 * predecessor's sessions; every data transaction calls `guard` first, which reads the epoch FOR SHARE and
 * throws EngineError `superseded` when it moved. An object is recorded as made before it is created (in the
 * same transaction where the engine has transactional DDL).
 */
export interface Fence<Connection> {
  readonly epoch: number;
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
  /** Stores the verified result; a later worker of this owner answers with it instead of copying again. */
  saveResult(report: CopyReport): Promise<void>;
  savedResult(): Promise<CopyReport | undefined>;
  /**
   * Drops in reverse order what was made and still has its name and id (never CASCADE onto others' objects) and forgets
   * these objects, the result, and the marks of the parts that `keep` does not hold (all, where it is left out).
   */
  clean(made: readonly MadeObject[], keep?: (part: string) => boolean): Promise<Cleaned>;
  /** Drops `_rowferry` itself. Repeatable. */
  drop(): Promise<void>;
  close(): Promise<void>;
}

/** How many objects of a list were dropped, were not there (any more), and were left since they are not the run's. */
export interface Cleaned {
  dropped: number;
  absent: number;
  left: number;
}

export const nothingCleaned = (): Cleaned => ({ dropped: 0, absent: 0, left: 0 });

/** Another run's `_rowferry` is met; `table`: quoted. What is missing in it is undefined. */
export function targetInUse(table: string, owner: string | undefined, ownerName: string | undefined): EngineError {
  const mend =
    owner === undefined
      ? "drop that table"
      : `rowferry reset URL --run ${printable(owner)} drops what it made there, and that table (URL: this database's)`;
  return new EngineError(
    "target_in_use",
    `the target database is in use by ${printable(ownerName ?? "an unknown run")}: its table ${table} is there; wait for that run or reset it; if it was deleted or nobody goes on with it: ${mend}`,
  );
}

/** What `_rowferry` in a target says of the run that it belongs to. */
export interface FoundRun {
  owner: string;
  ownerName: string;
  epoch: number;
  made: MadeObject[];
  /** Whether the copy was done and verified; only its table is left. */
  finished: boolean;
}
