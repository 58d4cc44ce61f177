import type { EngineProgress } from "../engine/contract/index.ts";
import { etaSeconds, type PaceSample, percentOf, tablesToShow } from "../engine/run/pace.ts";
import type { Progress } from "../resources/migration.ts";

/** From the engine's progress to what a Migration's status shows. */

/** Rows of tables in a status; the schema allows no more. */
const tableLimit = 40;

/** As the status keeps it. `updatedAt` is the wall clock's time. */
export function toProgress(progress: EngineProgress, samples: readonly PaceSample[], updatedAt: Date): Progress {
  const eta = etaSeconds(samples);
  return {
    phase: progress.phase,
    percent: percentOf(progress),
    rows: counts(progress.rows),
    bytes: counts(progress.bytes),
    tables: counts(progress.tables),
    ...(eta === undefined ? {} : { etaSeconds: eta }),
    table: tablesToShow(progress.table, tableLimit).map(({ name, rows, total, state }) => ({
      name: name.slice(0, 256),
      rows: whole(rows),
      total: whole(total),
      state,
    })),
    updatedAt: updatedAt.toISOString(),
  };
}

export function counts({ done, total }: { done: number; total: number }) {
  return { done: whole(done), total: whole(total) };
}

/** The schema takes whole numbers that are not negative; an estimate may be neither. */
export function whole(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), Number.MAX_SAFE_INTEGER) : 0;
}
