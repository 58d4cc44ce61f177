import type { EngineProgress } from "../contract/index.ts";
import { countsRows } from "../contract/phase.ts";

/** What a person asks of a running copy: how much of it is done, how long it takes still, and which tables are in work. */

/** Share of the whole that is reached when a phase begins and when it ends, in percent. Data takes most of the time. */
const spans: Record<EngineProgress["phase"], [number, number]> = {
  connecting: [0, 0],
  schema: [1, 8],
  copying: [8, 88],
  constraints: [88, 96],
  verifying: [96, 99],
  finished: [100, 100],
};

/** Whole percent, 0 to 100; 100 only when finished, and never less than `reached`. Totals may be estimates, and what is done may exceed them. */
export function percentOf(progress: EngineProgress): number {
  const { phase, verifiesOnly, reached = 0 } = progress;
  const [from, to] = phase === "verifying" && verifiesOnly ? [0, 99] : spans[phase];
  return Math.max(reached, Math.floor(from + (to - from) * shareDone(progress)));
}

/** Of the phase in which rows are copied and each table's indexes are made. */
const indexShare = 0.15;

/** Share of the phase that is done, 0 to 1: of objects and keys, of the data and of the tables' indexes, of rows compared. */
function shareDone({ phase, bytes, rows, compared, worked = 0, table }: EngineProgress): number {
  const share = ({ done, total }: { done: number; total: number }) =>
    total <= 0 ? 0 : Math.min(Math.max(done / total, 0), 1);
  switch (phase) {
    case "copying": {
      const data = share(bytes.total > 0 ? bytes : rows);
      if (table.length === 0) return data;
      const sum = (of: EngineProgress["table"]) => of.reduce((total, one) => total + one.total + 1, 0);
      const indexed = share({ done: sum(table.filter(({ state }) => state === "done")), total: sum(table) });
      return data * (1 - indexShare) + indexed * indexShare;
    }
    case "schema":
    case "constraints":
      return worked;
    case "verifying":
      return Math.max(worked, share({ done: compared, total: rows.total }));
    case "connecting":
    case "finished":
      return 0;
  }
}

export interface PaceSample {
  /** Milliseconds on a clock that only goes forward. */
  at: number;
  phase: EngineProgress["phase"];
  /** Share of the phase that was done, 0 to 1. */
  share: number;
  /** Bytes that were read from the source. */
  read: number;
}

/** The rate is taken over this time, so that it follows a change of pace and does not jump with a single table. */
const windowMs = 30_000;
/** With less than this behind it, a rate says nothing. */
const leastMs = 2_000;

/** Adds where the copy stands now, and forgets what is too old to tell today's rate; one older sample is kept as the start. */
export function withSample(samples: readonly PaceSample[], progress: EngineProgress, at: number): PaceSample[] {
  const { phase, read } = progress;
  // How long the rows will take is not known while the schema is made.
  if (!countsRows(phase) || phase === "finished") return [];
  const own = samples.filter((sample) => sample.phase === phase);
  const firstWithin = own.findIndex((sample) => sample.at >= at - windowMs);
  const kept = firstWithin < 0 ? own.slice(-1) : own.slice(Math.max(firstWithin - 1, 0));
  return [...kept, { at, phase, share: shareDone(progress), read }];
}

/** How much of this is done in a second, over the last half minute; undefined while nothing can be said. */
function perSecond(samples: readonly PaceSample[], of: "share" | "read"): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return undefined;
  return ((last[of] - first[of]) * 1000) / (last.at - first.at);
}

/** Bytes that are read from the source in a second, over the last half minute; undefined while nothing can be said. */
export const bytesPerSecond = (samples: readonly PaceSample[]): number | undefined =>
  samples.at(-1)?.phase === "copying" ? perSecond(samples, "read") : undefined;

/** Seconds until the phase is done, at the rate of the last half minute; undefined while nothing can be said. */
export function etaSeconds(samples: readonly PaceSample[]): number | undefined {
  const rate = perSecond(samples, "share") ?? 0;
  return rate <= 0 ? undefined : Math.round((1 - (samples.at(-1)?.share ?? 0)) / rate);
}

/** Later phases take at most about this share of the time: keys and counting of that of the rows, counting of that of the keys. */
const afterRows = 0.15;

/**
 * Seconds until the end, from the fastest to the slowest pace of the last half minute; the slow end leaves time for the phases
 * after the rows. Undefined while nothing can be said.
 */
export function secondsLeft(samples: readonly PaceSample[]): { least: number; most: number } | undefined {
  const last = samples.at(-1);
  const whole = perSecond(samples, "share") ?? 0;
  if (last === undefined || whole <= 0) return undefined;
  const rates = [whole, ...thirds(samples).map((part) => perSecond(part, "share") ?? 0)].filter((rate) => rate > 0);
  const open = 1 - last.share;
  const later = last.phase === "verifying" ? 0 : afterRows;
  return { least: Math.round(open / Math.max(...rates)), most: Math.ceil((open + later) / Math.min(...rates)) };
}

/** The samples of the first, second and last third of their time, each with its end. */
function thirds(samples: readonly PaceSample[]): PaceSample[][] {
  const from = samples[0]?.at ?? 0;
  const length = (samples.at(-1)?.at ?? 0) - from;
  return [0, 1, 2].map((part) =>
    samples.filter(({ at }) => at >= from + (length * part) / 3 && at <= from + (length * (part + 1)) / 3),
  );
}

/** Share of the phase that is compared in a second; for a rate in rows. Undefined while nothing can be said. */
export const sharePerSecond = (samples: readonly PaceSample[]): number | undefined => perSecond(samples, "share");

/** The tables worth a row: in work first, then the largest ones waiting, then the largest ones done. */
export function tablesToShow(tables: EngineProgress["table"], most: number): EngineProgress["table"] {
  const rank = { copying: 0, indexing: 0, waiting: 1, done: 2 } as const;
  return [...tables].sort((a, b) => rank[a.state] - rank[b.state] || b.total - a.total).slice(0, most);
}
