import { delayOf } from "../../controllers/backup-schedule/slots.ts";
import { runName } from "../../controllers/jobs/names.ts";
import { bounds, type Outcome, p99, type Row } from "./one-operator.ts";

/** Whether every slot of many schedules that are due at one time got its run, from what was seen of them. Pure. */

/** Times are in milliseconds of the operator's clock. */
export interface SlotFacts {
  slot: number;
  /** Milliseconds over which the starts are spread. */
  jitter: number;
  limits: { cluster: number; namespace: number };
  schedules: { key: string; uid: string; missed: number; lastSlot: number | undefined; verified: string | undefined }[];
  runs: { key: string; schedule: string; slot: number | undefined; at: number; state: string }[];
  jobs: { owner: string; namespace: string; at: number; endsAt: number }[];
  /** Between a kill and the next operator's lead. */
  outages: { from: number; to: number }[];
  /** Migrations that were made meanwhile; `jobAt` undefined: none until the end. */
  migrations: { at: number; jobAt: number | undefined }[];
  /** Milliseconds until each operator was ready. */
  ready: readonly number[];
  /** MiB. */
  memory: number;
}

/** When at the latest an operator that works has seen that something is to be done. */
const after = ({ outages }: SlotFacts, time: number): number =>
  Math.max(time, ...outages.filter(({ from, to }) => time >= from - 1000 && time < to).map(({ to }) => to));

/** The most that there were at one time. */
function peakOf(jobs: SlotFacts["jobs"]): number {
  const steps = jobs.flatMap(({ at, endsAt }) => [[at, 1] as const, [endsAt, -1] as const]);
  let [now, most] = [0, 0];
  for (const [, step] of steps.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

const grouped = <T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> => Map.groupBy(all, by);

function faultsOf(facts: SlotFacts): string[] {
  const { slot, jitter, limits, schedules, runs, jobs, migrations } = facts;
  const bySchedule = grouped(runs, ({ schedule }) => schedule);
  const slots = schedules.flatMap(({ key, uid, missed, lastSlot, verified }) => {
    const own = bySchedule.get(key) ?? [];
    const [run] = own;
    if (run === undefined || own.length > 1) return [`${key} has ${own.length} runs for its slot`];
    return [
      ...(run.key === runName(key, slot) && run.slot === slot ? [] : [`${run.key} is not the run of the slot`]),
      ...(run.at < slot + delayOf(uid, jitter) ? [`${run.key} started before its time`] : []),
      ...(run.state === "completed" ? [] : [`${run.key} is ${run.state}`]),
      ...(missed === 0 && lastSlot === slot ? [] : [`${key} counts ${missed} missed slots, the last of ${lastSlot}`]),
      ...(verified === "True" ? [] : [`${key} is not verified: ${verified}`]),
    ];
  });
  const twice = [...grouped(jobs, ({ owner }) => owner)].filter(([, own]) => own.length > 1);
  const peak = peakOf(jobs);
  const crowded = [...grouped(jobs, ({ namespace }) => namespace)].filter(([, own]) => peakOf(own) > limits.namespace);
  const stuck = migrations.filter(({ jobAt }) => jobAt === undefined).length;
  return [
    ...slots,
    ...twice.map(([owner, own]) => `${owner} has ${own.length} Jobs`),
    ...(peak > limits.cluster ? [`${peak} Jobs at one time instead of ${limits.cluster}`] : []),
    ...crowded.map(([namespace, own]) => `${peakOf(own)} Jobs at one time in ${namespace}`),
    ...(stuck > 0 ? [`${stuck} Migrations never started`] : []),
  ];
}

/** `timed`: whether bounds of time and memory count. */
export function judgeSlots(facts: SlotFacts, timed: boolean): Outcome {
  const { slot, jitter, schedules, runs, jobs, migrations, outages, limits } = facts;
  const delays = new Map(schedules.map(({ key, uid }) => [key, delayOf(uid, jitter)]));
  const late = runs.map(({ schedule, at }) => at - after(facts, slot + (delays.get(schedule) ?? 0)));
  const waits = migrations.flatMap((one) => (one.jobAt === undefined ? [] : [one.jobAt - after(facts, one.at)]));
  // Those that an outage held up start together after it.
  const free = runs.filter(({ at }) => !outages.some(({ from, to }) => at > from && at < to + 5000));
  const tenths = grouped(free, ({ at }) => String(Math.floor(((at - slot) * 10) / jitter)));
  const most = Math.max(0, ...[...tenths.values()].map((own) => own.length));
  const rows: Row[] = [
    ["ready, s", Math.max(...facts.ready) / 1000, bounds.ready],
    ["memory at most, MiB", facts.memory, bounds.memory],
    ["a run after its time, p99, s", p99(late) / 1000, bounds.first],
    ["a Migration to its Job, p99, s", p99(waits) / 1000, bounds.next],
    ["runs in the fullest tenth of the jitter, of the mean", (most * 10) / schedules.length, 2],
  ];
  const lastEnd = Math.max(...jobs.flatMap(({ owner, endsAt }) => (owner.startsWith("Migration") ? [] : [endsAt])));
  const isSlow = rows.filter(([, is, bound]) => is > bound);
  return {
    lines: [
      ...rows.map(([what, is, bound]) => `${what}: ${is.toFixed(2)} (bound ${bound})`),
      `${schedules.length} schedules, ${runs.length} runs, ${jobs.length} Jobs, at most ${peakOf(jobs)} at one time (limit ${limits.cluster}); ${waits.length} Migrations; the last backup's Job ended ${((lastEnd - slot) / 1000).toFixed(0)} s after the slot`,
    ],
    broken: [
      ...faultsOf(facts),
      ...(timed ? isSlow : []).map(([what, is, bound]) => `${what}: ${is.toFixed(2)} instead of ${bound}`),
    ],
  };
}
