import type { CompleteRun, Retention } from "./contract.ts";

/**
 * Which complete runs may be deleted. A rule keeps the newest run of each of so many periods (days, ISO weeks, months, years of UTC)
 * that have one. Pure.
 */

/** The newest complete run is kept whatever the rules say; without any rule, all are. Newest first. */
export function expiredRuns(runs: readonly CompleteRun[], retention: Retention): CompleteRun[] {
  const { keepLast = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0 } = retention;
  const newestFirst = [...runs].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  if (keepLast + daily + weekly + monthly + yearly === 0) return [];
  const kept = new Set(newestFirst.slice(0, Math.max(1, keepLast)));
  const rules = [
    [daily, dayOf],
    [weekly, weekOf],
    [monthly, (at: number) => new Date(at).toISOString().slice(0, 7)],
    [yearly, (at: number) => new Date(at).toISOString().slice(0, 4)],
  ] as const;
  for (const [count, periodOf] of rules) {
    const periods = [...Map.groupBy(newestFirst, ({ at }) => periodOf(at)).values()];
    for (const [newest] of periods.slice(0, count)) if (newest !== undefined) kept.add(newest);
  }
  return newestFirst.filter((run) => !kept.has(run));
}

const dayMs = 86_400_000;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** By the Monday that it begins with. */
function weekOf(at: number): string {
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return dayOf(at - sinceMonday * dayMs);
}
