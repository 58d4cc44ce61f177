import { createHash } from "node:crypto";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { type DailyCron, parseCron } from "./cron.ts";
import { type Zone, zoneOf } from "./zone.ts";

/**
 * The slots of a schedule: at most one on each local date, each a UTC instant in milliseconds. Pure; the same spec and uid give
 * the same slots for ever, so that a run's name follows from its slot.
 */
export interface ScheduleSlots {
  /** Those after `from` up to and including `to`, the oldest first. */
  between(from: number, to: number): number[];
  /** The first after `from`; undefined: it never fires again. */
  after(from: number): number | undefined;
}

interface Wrong {
  reason: "InvalidCron" | "InvalidTimeZone" | "NeverFires";
  message: string;
}

const day = 86_400_000;
/** Days within which every line that can fire does: 29 February on a given weekday comes every 40 years. */
const horizon = 366 * 41;

/** From 00:00 to 05:59 local time, by the schedule's uid. */
function ownTime(uid: string): { hour: number; minute: number } {
  const minutes = createHash("sha256").update(uid).digest().readUInt32BE(0) % 360;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

const intervals: Record<"daily" | "weekly" | "monthly", DailyCron["firesOn"]> = {
  daily: () => true,
  weekly: ({ weekday }) => weekday === 0,
  monthly: ({ day }) => day === 1,
};

/** What decides on the slots; where it changes, slots are counted anew. */
export const timingOf = ({ spec }: Pick<BackupSchedule, "spec">): string =>
  `${spec.interval ?? spec.cron} ${spec.timeZone}`;

export function slotsOf({ metadata, spec }: Pick<BackupSchedule, "metadata" | "spec">): ScheduleSlots | Wrong {
  const zone = zoneOf(spec.timeZone);
  if (zone === undefined)
    return {
      reason: "InvalidTimeZone",
      message: `spec.timeZone is not a known time zone: ${spec.timeZone}. Use an IANA name such as Europe/Berlin.`,
    };
  const cron = spec.interval
    ? { ...ownTime(metadata.uid), firesOn: intervals[spec.interval] }
    : parseCron(spec.cron ?? "");
  if (cron === undefined)
    return {
      reason: "InvalidCron",
      message: `spec.cron has a field out of its range: ${spec.cron}. Use minute, hour, day (1-31), month (1-12) and weekday (0-7).`,
    };
  return createSlots(cron, zone, spec.cron ?? "");
}

function createSlots(cron: DailyCron, zone: Zone, line: string): ScheduleSlots | Wrong {
  function* from(start: number, days: number): Generator<number> {
    // A day earlier, since a time that clocks jumped over may come a date later.
    const first = Math.floor(zone.localAt(start) / day) - 1;
    let last = start;
    for (let index = 0; index < days; index += 1) {
      const date = (first + index) * day;
      const local = new Date(date);
      const fields = { day: local.getUTCDate(), month: local.getUTCMonth() + 1, weekday: local.getUTCDay() };
      if (!cron.firesOn(fields)) continue;
      const slot = zone.instantOf(date + (cron.hour * 60 + cron.minute) * 60_000);
      if (slot <= last) continue;
      last = slot;
      yield slot;
    }
  }
  if (from(0, horizon).next().done)
    return {
      reason: "NeverFires",
      message: `spec.cron never fires, since no date fits it: ${line}. Change the day or the month.`,
    };
  return {
    between(start, to) {
      const found: number[] = [];
      for (const slot of from(start, horizon)) {
        if (slot > to) break;
        found.push(slot);
      }
      return found;
    },
    after: (start) => from(start, horizon).next().value as number | undefined,
  };
}

/** Milliseconds after its slot at which a schedule's run starts, so that those of one minute do not start together. */
export const delayOf = (uid: string, jitter: number): number =>
  jitter <= 0 ? 0 : createHash("sha256").update(`jitter ${uid}`).digest().readUInt32BE(0) % jitter;
