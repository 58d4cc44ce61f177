import { EngineError } from "../../../contract/index.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { absorbCancel } from "../../../mysql/source/read-again.ts";
import type { Snapshot } from "../../../mysql/source/snapshot.ts";
import type { TablePart } from "../../../mysql/source/split.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { MysqlToCopyFindings } from "../../../rows/mysql-to-copy/fields.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { createBlockPool } from "../../../run/memory/block-pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { VerifyExpressions } from "../finish/verify-expressions.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { PartResult, PartSource, PartWork } from "./copy-part.ts";

/**
 * Copies all parts of all tables, N at a time. A table whose data break a guess is made anew with wider types, and so
 * are the tables that foreign keys join to it; the rest goes on meanwhile.
 */
export interface TableState {
  plan: TablePlan;
  parts: TablePart[];
  waiting: TablePart[];
  running: Set<PartSource>;
  /** Parts that were handed out and are not judged yet. */
  inFlight: number;
  /** Parts that are done in this round. */
  finished: number;
  round: number;
  /** Nothing of this round counts: the table is made anew once none of its parts is in flight. */
  broken: boolean;
  /** What it is made anew as; none yet, where the part that broke is not judged. */
  next: TablePlan | undefined;
  /** It is being made anew, by one stream; what is learnt meanwhile waits in `next`. */
  remaking: boolean;
  /** A row came that cannot go in binary (row-format.ts). */
  textual: boolean;
  rows: number;
  /** Sums over the parts of this round, a column each. */
  nuls: number[];
  dates: number[];
  srids: number[];
  /** Of the first geometry with one. */
  srid: number[];
  seen: boolean[];
  /** Values that become equal to others (merged-labels.ts), a column each; of all rows, whatever the round. */
  merged: readonly number[];
  /** Tables whose types are decided together, this one among them. */
  group: TableState[];
}

export function createTableState(plan: TablePlan, parts: TablePart[]): TableState {
  const state: TableState = {
    plan,
    parts,
    waiting: [],
    running: new Set(),
    inFlight: 0,
    finished: 0,
    round: 0,
    broken: false,
    next: undefined,
    remaking: false,
    textual: false,
    rows: 0,
    nuls: [],
    dates: [],
    srids: [],
    srid: [],
    seen: [],
    merged: [],
    group: [],
  };
  state.group = [state];
  begin(state);
  return state;
}

function begin(state: TableState): void {
  const none = state.plan.copied;
  state.waiting = [...state.parts];
  state.finished = 0;
  state.round++;
  state.broken = false;
  state.rows = 0;
  state.nuls = none.map(() => 0);
  state.dates = none.map(() => 0);
  state.srids = none.map(() => 0);
  state.srid = none.map(() => 0);
  state.seen = none.map(() => false);
}

interface TablesWork {
  states: TableState[];
  snapshot: Pick<Snapshot, "readers" | "cancel">;
  open(): Promise<Writer>;
  fence: Fence<Writer>;
  progress: ProgressAccount;
  throttle: Throttle;
  /** Ends the run, and with it the streams that only wait for others. */
  signal: AbortSignal;
  /** Called once, at the first error: what else runs is to be ended. */
  failed(error: unknown): void;
  copy(part: PartWork): Promise<PartResult>;
  /** What the findings teach that was not known: tables to make anew, with their new plans. Throws where no type would do. */
  teach(used: TablePlan, findings: readonly MysqlToCopyFindings[]): { state: TableState; plan: TablePlan }[];
  /** Called once all rows of a table are there: another plan, where they are not as in the source. */
  prove: VerifyExpressions;
  /** Drops and makes the table. */
  remake(writer: Writer, before: TablePlan, after: TablePlan): Promise<void>;
  /** Called once for each table, when its rows and its group's are final. */
  copied(state: TableState): void;
}

export async function copyTables(work: TablesWork): Promise<void> {
  const { states, snapshot, fence, progress, signal } = work;
  const pool = createBlockPool();
  let failed: { cause: unknown } | undefined;
  let wake: (() => void)[] = [];
  let left = states.length;
  const told = new Set<TableState>();
  const cancels = new Map<Reader, Promise<void>>();

  const changed = () => {
    const waiting = wake;
    wake = [];
    for (const one of waiting) one();
  };

  const isDone = (state: TableState) => state.finished === state.parts.length && !state.broken;

  const settle = (state: TableState) => {
    if (!state.group.every(isDone)) return;
    for (const one of state.group) {
      if (told.has(one)) continue;
      told.add(one);
      left--;
      work.copied(one);
    }
  };

  /** Before it no part waits. There may be ten thousand tables. */
  let from = 0;
  const next = (): { state: TableState; part: TablePart } | undefined => {
    for (let at = from; at < states.length; at++) {
      const state = states[at] as TableState;
      const part = state.broken ? undefined : state.waiting.shift();
      if (part !== undefined) {
        from = at;
        state.inFlight++;
        return { state, part };
      }
    }
    from = states.length;
    return undefined;
  };

  const broken = new Set<TableState>();
  const stop = (state: TableState) => {
    state.broken = true;
    broken.add(state);
    for (const { encoder, reader } of state.running) {
      encoder.discard();
      const before = cancels.get(reader) ?? Promise.resolve();
      const cancel = before.then(() => snapshot.cancel(reader)).catch(() => undefined);
      cancels.set(reader, cancel);
    }
  };

  /** A cancel that came too late for its statement must not hit the reader's next one. */
  const uncancelled = async (reader: Reader) => {
    const cancel = cancels.get(reader);
    if (cancel === undefined) return;
    cancels.delete(reader);
    await cancel;
    await absorbCancel(reader);
  };

  const again = (state: TableState, plan: TablePlan) => {
    state.next = plan;
    stop(state);
  };

  /** Broken tables none of whose parts run any more are made anew. */
  const mend = async (writer: Writer) => {
    for (const state of broken) {
      if (state.remaking || state.inFlight > 0) continue;
      const { name } = state.plan.source;
      if (state.next === undefined)
        throw new EngineError("database_error", `table ${name}: a part of it broke off, and nothing says why`);
      state.remaking = true;
      while (state.next !== undefined) {
        const after: TablePlan = state.next;
        state.next = undefined;
        await work.remake(writer, state.plan, after);
        state.plan = after;
      }
      state.remaking = false;
      progress.restart(name);
      begin(state);
      broken.delete(state);
      from = 0;
      changed();
    }
  };

  const one = async (reader: Reader, writer: Writer, state: TableState, part: TablePart) => {
    const { name } = state.plan.source;
    progress.state(name, "copying");
    const used = state.plan;
    const result = await work.copy({
      plan: used,
      throttle: work.throttle,
      part,
      mark: `${part.name} #${state.round}`,
      reader,
      writer,
      fence,
      pool,
      running: state.running,
      isStopped: () => state.broken,
      broke: () => stop(state),
      isTextual: () => state.textual,
      gaveUp() {
        state.textual = true;
        return snapshot.cancel(reader).catch(() => undefined);
      },
      progress: (rows, bytes) => progress.add(name, rows, bytes),
    });
    await uncancelled(reader);
    if (result.broken) {
      for (const { state: other, plan } of work.teach(used, result.findings)) again(other, plan);
      return;
    }
    // The table counts as done only when it is proven, since others may wait for it.
    if (state.finished + 1 === state.parts.length && !state.broken) {
      const after = await work.prove(reader, writer, used);
      if (after !== undefined) again(state, after);
    }
    if (state.broken) return;
    state.finished++;
    state.rows += result.rows;
    result.findings.forEach(({ nuls, dates, srids, srid, seen }, column) => {
      state.nuls[column] = (state.nuls[column] ?? 0) + nuls;
      state.dates[column] = (state.dates[column] ?? 0) + dates;
      state.srids[column] = (state.srids[column] ?? 0) + srids;
      state.srid[column] ||= srid;
      state.seen[column] ||= seen;
    });
  };

  const stream = async (reader: Reader) => {
    let writer: Writer | undefined;
    try {
      writer = await work.open();
      while (failed === undefined && left > 0) {
        signal.throwIfAborted();
        await mend(writer);
        const job = next();
        if (job === undefined) {
          if (failed === undefined && left > 0) await new Promise<void>((resolve) => wake.push(resolve));
          continue;
        }
        await one(reader, writer, job.state, job.part);
        job.state.inFlight--;
        settle(job.state);
        changed();
      }
    } catch (error) {
      if (failed === undefined) {
        failed = { cause: error };
        work.failed(error);
      }
    } finally {
      changed();
      await writer?.end();
    }
  };

  signal.addEventListener("abort", changed);
  try {
    const ends = await Promise.allSettled(snapshot.readers.map(stream));
    if (failed !== undefined) throw (failed as { cause: unknown }).cause;
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  } finally {
    signal.removeEventListener("abort", changed);
  }
}
