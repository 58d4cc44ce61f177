import type { CopyHooks, EngineProgress, Phase } from "../contract/index.ts";
import { percentOf } from "./pace.ts";

/** Accounts for what a copy has done and tells the caller, at most every `everyMs` and at each change of phase or state. */
export interface ProgressAccount {
  phase(phase: Phase): void;
  /** Declares the tables; totals are estimates. Bytes are the source's size, for the share that is done. */
  plan(tables: readonly { name: string; rows: number; bytes: number }[]): void;
  state(table: string, state: EngineProgress["table"][number]["state"]): void;
  /** Adds what was copied just now. Bytes as on the wire; they are scaled to the plan's when the table is done. */
  add(table: string, rows: number, bytes: number): void;
  /** Adds bytes of what is in no table, such as large objects. */
  beside(bytes: number): void;
  /** The table is copied again from the start: what was counted for it is taken back. */
  restart(table: string): void;
  /** The exact number of rows, once it is known. */
  settle(table: string, rows: number): void;
  /** Adds rows whose values were compared just now; before the phase `verifying` it is a proof of what is kept. */
  compared(rows: number): void;
  /**
   * From here on `did` counts `units` of work that rows do not tell, until the share `upTo` (0 to 1) of the phase is done. A phase
   * has one stage, or several one after the other.
   */
  stage(upTo: number, units: number): void;
  /** Adds units of the stage that were done just now: one by default. */
  did(units?: number): void;
  /** Something was done that no other number tells. */
  touch(): void;
  /** Grows whenever something was done: what the watchdog looks at. */
  readonly moved: number;
}

interface Account {
  entry: EngineProgress["table"][number];
  bytes: number;
  total: number;
}

const everyMs = 200;

/** Part of a phase, in shares of it. */
interface Stage {
  from: number;
  upTo: number;
  units: number;
  done: number;
}

const shareOf = ({ from, upTo, units, done }: Stage): number =>
  from + (upTo - from) * (units > 0 ? Math.min(done / units, 1) : 1);
const noStage: Stage = { from: 0, upTo: 0, units: 0, done: 0 };

/** `now`: milliseconds of a clock that never goes back. */
export function createProgress(
  progress: CopyHooks["progress"],
  now: () => number = () => performance.now(),
  { verifiesOnly = false }: { verifiesOnly?: boolean } = {},
): ProgressAccount {
  const tables = new Map<string, Account>();
  let phase: Phase = "connecting";
  /** The last change of a burst is told too, after `everyMs`. */
  let late: NodeJS.Timeout | undefined;
  let told = Number.NEGATIVE_INFINITY;
  let moved = 0;
  let compared = 0;
  let beside = 0;
  let stage = noStage;
  let reached = 0;

  const tell = (force: boolean) => {
    moved++;
    show(force);
  };

  const show = (force: boolean) => {
    const at = now();
    if (!force && at - told < everyMs) {
      late ??= setTimeout(() => {
        late = undefined;
        if (phase !== "finished") show(true);
      }, everyMs).unref();
      return;
    }
    clearTimeout(late);
    late = undefined;
    told = at;
    const all = [...tables.values()];
    const sum = (of: (account: Account) => number) => all.reduce((total, account) => total + of(account), 0);
    const shown: EngineProgress = {
      phase,
      rows: { done: sum(({ entry }) => entry.rows), total: sum(({ entry }) => Math.max(entry.rows, entry.total)) },
      // The wire's bytes are not the table's: a table counts as done in full only when it is, and never as more.
      bytes: {
        done: sum(({ entry, bytes, total }) => (isCopied(entry.state) ? total : Math.min(bytes, total))),
        total: sum(({ total }) => total),
      },
      read: beside + sum(({ bytes }) => bytes),
      finished: beside + sum(({ entry, bytes }) => (isCopied(entry.state) ? bytes : 0)),
      compared,
      worked: shareOf(stage),
      ...(verifiesOnly ? { verifiesOnly } : {}),
      tables: { done: all.filter(({ entry }) => entry.state === "done").length, total: all.length },
      table: all.map(({ entry }) => ({ ...entry, total: Math.max(entry.rows, entry.total) })),
    };
    reached = Math.max(reached, percentOf(shown));
    progress({ ...shown, reached });
  };

  const account = (table: string): Account => {
    const found = tables.get(table);
    if (found === undefined) throw new Error(`progress of a table that was not planned: ${table}`);
    return found;
  };

  return {
    get moved() {
      return moved;
    },
    touch: () => {
      moved++;
    },
    compared(rows) {
      if (phase === "verifying") compared += rows;
      tell(false);
    },
    stage(upTo, units) {
      stage = { from: stage.upTo, upTo, units, done: 0 };
      tell(false);
    },
    did(units = 1) {
      stage.done += units;
      tell(false);
    },
    phase(next) {
      phase = next;
      stage = noStage;
      tell(true);
    },
    plan(planned) {
      for (const { name, rows, bytes } of planned) {
        tables.set(name, { entry: { name, rows: 0, total: rows, state: "waiting" }, bytes: 0, total: bytes });
      }
      tell(true);
    },
    state(table, state) {
      const { entry } = account(table);
      if (entry.state === state) return;
      entry.state = state;
      tell(false);
    },
    add(table, rows, bytes) {
      const found = account(table);
      found.entry.rows += rows;
      found.bytes += bytes;
      tell(false);
    },
    beside(bytes) {
      beside += bytes;
      tell(false);
    },
    restart(table) {
      const found = account(table);
      found.entry.rows = 0;
      found.bytes = 0;
      found.entry.state = "waiting";
      tell(false);
    },
    settle(table, rows) {
      const { entry } = account(table);
      entry.rows = rows;
      entry.total = rows;
      tell(false);
    },
  };
}

const isCopied = (state: Account["entry"]["state"]) => state === "indexing" || state === "done";
