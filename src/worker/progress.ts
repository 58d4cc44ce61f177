import type { EngineProgress } from "../engine/contract.ts";
import type { Progress } from "../resources/migration.ts";

/** From the engine's progress to what a Migration's status shows: percent, remaining time, the tables worth a row. */

/** Rows of tables in a status; the schema allows no more. */
export const tableLimit = 40;

/** Share of the whole that is reached when a phase begins and when it ends, in percent. Data takes most of the time. */
const spans: Record<EngineProgress["phase"], [number, number]> = {
  connecting: [0, 0],
  schema: [1, 1],
  copying: [2, 90],
  constraints: [90, 96],
  verifying: [96, 99],
  finished: [100, 100],
};

/** Whole percent, 0 to 100; 100 only when finished. Totals may be estimates, and what is done may exceed them. */
export function percentOf(progress: EngineProgress): number {
  const [from, to] = spans[progress.phase];
  if (progress.phase !== "copying") return from;
  return Math.floor(from + (to - from) * shareDone(progress));
}

/** Share of the data that is copied, 0 to 1; by bytes where they are known, else by rows. */
function shareDone({ bytes, rows }: EngineProgress): number {
  const { done, total } = bytes.total > 0 ? bytes : rows;
  return total <= 0 ? 0 : Math.min(Math.max(done / total, 0), 1);
}

export interface Sample {
  /** Milliseconds on a clock that only goes forward. */
  at: number;
  /** Share of the data that was copied, 0 to 1. */
  share: number;
}

/** The rate is taken over this time, so that it follows a change of pace and does not jump with a single table. */
const windowMs = 30_000;
/** With less than this behind it, a rate says nothing. */
const leastMs = 2_000;

/** Adds where the copy stands now, and forgets what is too old to tell today's rate; one older sample is kept as the start. */
export function withSample(samples: readonly Sample[], progress: EngineProgress, at: number): Sample[] {
  if (progress.phase !== "copying") return [];
  const firstWithin = samples.findIndex((sample) => sample.at >= at - windowMs);
  const kept = firstWithin < 0 ? samples.slice(-1) : samples.slice(Math.max(firstWithin - 1, 0));
  return [...kept, { at, share: shareDone(progress) }];
}

/** Seconds until the data is copied, at the rate of the last half minute; undefined while nothing can be said. */
export function etaSeconds(samples: readonly Sample[]): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return undefined;
  const copied = last.share - first.share;
  if (copied <= 0) return undefined;
  return Math.round(((1 - last.share) / copied) * ((last.at - first.at) / 1000));
}

/** The tables worth a row: in work first, then the largest ones waiting, then the largest ones done. */
export function cutTables(tables: EngineProgress["table"]): EngineProgress["table"] {
  const rank = { copying: 0, indexing: 0, waiting: 1, done: 2 } as const;
  return [...tables].sort((a, b) => rank[a.state] - rank[b.state] || b.total - a.total).slice(0, tableLimit);
}

/** As the status keeps it. `updatedAt` is the wall clock's time. */
export function toProgress(progress: EngineProgress, samples: readonly Sample[], updatedAt: Date): Progress {
  const eta = etaSeconds(samples);
  return {
    phase: progress.phase,
    percent: percentOf(progress),
    rows: counts(progress.rows),
    bytes: counts(progress.bytes),
    tables: counts(progress.tables),
    ...(eta === undefined ? {} : { etaSeconds: eta }),
    table: cutTables(progress.table).map(({ name, rows, total, state }) => ({
      name: name.slice(0, 256),
      rows: whole(rows),
      total: whole(total),
      state,
    })),
    updatedAt: updatedAt.toISOString(),
  };
}

function counts({ done, total }: { done: number; total: number }) {
  return { done: whole(done), total: whole(total) };
}

/** The schema takes whole numbers that are not negative; an estimate may be neither. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), Number.MAX_SAFE_INTEGER) : 0;
}
