import { EngineError } from "../../../contract/index.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { absorbCancel } from "../../../mysql/source/read-again.ts";
import type { Snapshot } from "../../../mysql/source/snapshot.ts";
import type { TablePart } from "../../../mysql/source/split.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { MysqlToCopyFindings } from "../../../rows/mysql-to-copy/fields.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { createBlockPool } from "../../../run/memory/block-pool.ts";
import { type Task, workOff } from "../../../run/pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { VerifyExpressions } from "../finish/verify-expressions.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { PartResult, PartSource, PartWork } from "./copy-part.ts";
import { all } from "./sessions.ts";

/**
 * Copies all parts of all tables, N at a time. A table whose data break a guess is made anew with wider types, and so
 * are the tables that foreign keys join to it; the rest goes on meanwhile.
 */
export interface TableState {
  plan: TablePlan;
  parts: TablePart[];
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

interface Streams {
  reader: Reader;
  writer: Writer;
}

interface TablesWork {
  states: TableState[];
  snapshot: Pick<Snapshot, "readers" | "cancel">;
  open(): Promise<Writer>;
  fence: Fence<Writer>;
  progress: ProgressAccount;
  throttle: Throttle;
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
  const told = new Set<TableState>();
  const cancels = new Map<Reader, Promise<void>>();

  const isDone = (state: TableState) => state.finished === state.parts.length && !state.broken;

  const settle = (state: TableState) => {
    if (!state.group.every(isDone)) return;
    for (const one of state.group) {
      if (told.has(one)) continue;
      told.add(one);
      work.copied(one);
    }
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

  const places = new Map(states.map((state, at) => [state, at]));

  const partsOf = (state: TableState): Task<Streams>[] => {
    const { round } = state;
    return state.parts.map((part) => ({
      weight: -(places.get(state) ?? 0),
      async run({ reader, writer }) {
        signal.throwIfAborted();
        if (state.broken || state.round !== round) return [];
        state.inFlight++;
        await one(reader, writer, state, part);
        state.inFlight--;
        settle(state);
        return [...broken].flatMap((other) => (other.remaking || other.inFlight > 0 ? [] : [mend(other)]));
      },
    }));
  };

  /** None of its parts runs any more: it is made anew before another part is begun. */
  const mend = (state: TableState): Task<Streams> => {
    state.remaking = true;
    return {
      weight: Number.POSITIVE_INFINITY,
      async run({ writer }) {
        signal.throwIfAborted();
        const { name } = state.plan.source;
        if (state.next === undefined)
          throw new EngineError("database_error", `table ${name}: a part of it broke off, and nothing says why`);
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
        return partsOf(state);
      },
    };
  };

  const writers: Writer[] = [];
  const open = async (reader: Reader): Promise<Streams> => {
    const writer = await work.open();
    writers.push(writer);
    return { reader, writer };
  };
  try {
    await workOff(await all(snapshot.readers.map(open)), states.flatMap(partsOf), work.failed);
    signal.throwIfAborted();
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
  }
}
