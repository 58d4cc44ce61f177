import * as z from "zod";
import { databaseRefSchema } from "../database.ts";
import type { Stored } from "../metadata.ts";
import { optionsSchema } from "../options.ts";
import { conditions, exactlyOne, rules, when } from "../schema.ts";
import { encryptionSchema, storageSchema } from "./place.ts";

/** The BackupSchedule kind: takes a backup of one database at each slot, keeps some of them and verifies them. */

/** A run's name is `<schedule>-<yyyymmddhhmm>`, and has at most 63 characters with a Job's suffix. */
const longestScheduleName = 47;

/** Daily is the shortest interval, so that a cron line has one minute and one hour. */
const part = (digits: string, names = "") => {
  const one = names === "" ? `(${digits})` : `(${digits}|${names})`;
  return `(\\*(/[0-9]{1,2})?|${one}(-${one})?(/[0-9]{1,2})?(,${one}(-${one})?(/[0-9]{1,2})?)*)`;
};
const day = part("0?[1-9]|[12][0-9]|3[01]");
const month = part(
  "0?[1-9]|1[0-2]",
  "[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][Nn]|[Jj][Uu][Ll]|[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc]",
);
const weekday = part(
  "[0-7]",
  "[Ss][Uu][Nn]|[Mm][Oo][Nn]|[Tt][Uu][Ee]|[Ww][Ee][Dd]|[Tt][Hh][Uu]|[Ff][Rr][Ii]|[Ss][Aa][Tt]",
);
const dailyPattern = `^[0-5]?[0-9] ([01]?[0-9]|2[0-3]) ${day} ${month} ${weekday}$`;
/** For zod and for CEL alike. */
export const dailyCron = new RegExp(dailyPattern);
export const dailyCronMessage =
  "cron is `minute hour day month weekday` with one minute and one hour, as `30 2 * * 1-5`: daily is the shortest interval";

const keep = (what: string) => z.int().min(0).max(1000).optional().describe(what);

export const retentionSchema = z
  .object({
    keepLast: keep("Number of the newest completed runs to keep."),
    daily: keep("Number of days of which the newest completed run is kept."),
    weekly: keep("Number of weeks (Monday to Sunday, UTC) of which the newest completed run is kept."),
    monthly: keep("Number of months of which the newest completed run is kept."),
    yearly: keep("Number of years of which the newest completed run is kept."),
  })
  .describe(
    "Which completed runs to keep; the others are deleted with their parts, after a newer run has completed. The last completed run is always kept. Default: all are kept.",
  )
  .meta(
    rules([
      ["keepLast", "daily", "weekly", "monthly", "yearly"]
        .map((one) => `has(self.${one}) && self.${one} > 0`)
        .join(" || "),
      "set at least one number of retention above 0, or leave retention out to keep all runs",
    ]),
  );

/** What a backup is taken with, in a BackupSchedule and in a BackupRun without one. */
export const backupOptionsSchema = optionsSchema.pick({ jobs: true, source_ca: true }).describe("How to read.");

export const scheduleSpecSchema = z
  .object({
    source: databaseRefSchema.describe("The database to back up (MySQL, MariaDB or PostgreSQL). It is only read."),
    interval: z
      .enum(["daily", "weekly", "monthly"])
      .optional()
      .describe(
        "How often: daily; weekly on Sundays; monthly on the first. The time is an hour after midnight that follows from the schedule's uid, so that schedules do not start together.",
      ),
    cron: z
      .string()
      .min(9)
      .max(200)
      .optional()
      .describe(
        "When, as five fields: minute, hour, day of the month, month, weekday (0 or SUN). One minute and one hour: daily is the shortest interval.",
      )
      .meta(rules([`self.matches(r"${dailyPattern}")`, dailyCronMessage])),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .default("Etc/UTC")
      .describe("IANA name of the time zone of interval and cron, as Europe/Berlin."),
    suspend: z
      .boolean()
      .default(false)
      .describe("Whether to skip all slots from now on. Started runs continue, and runs on request are accepted."),
    startingDeadlineSeconds: z
      .int()
      .min(60)
      .max(604_800)
      .default(43_200)
      .describe(
        "Seconds after its slot in which a missed run is still started, for instance after an outage. Only the newest missed slot is; older ones are counted in status.missed.",
      ),
    retention: retentionSchema.optional(),
    storage: storageSchema.optional(),
    encryption: encryptionSchema.optional(),
    verification: z
      .object({
        policy: z
          .enum(["EachRun", "Weekly", "Never"])
          .default("Weekly")
          .describe("Which runs are verified by a restore into a throw-away server: each, one a week, or none."),
        maxAgeDays: z
          .int()
          .min(1)
          .max(400)
          .default(10)
          .describe("Days after which the last verification is too old: the condition Verified becomes False then."),
      })
      .prefault({})
      .describe("How backups are verified."),
    deletionPolicy: z
      .enum(["Keep", "Delete"])
      .default("Keep")
      .describe("Whether the runs and their parts are kept or deleted with the schedule."),
    options: backupOptionsSchema.optional(),
  })
  .meta(rules(exactlyOne("time", "interval", "cron", "set interval (daily, weekly or monthly) or cron, and not both")));

export const scheduleRules = [
  {
    rule: `self.metadata.name.size() <= ${longestScheduleName}`,
    message: `the name of a BackupSchedule has at most ${longestScheduleName} characters, since its runs are named after it`,
  },
];

const runRef = (what: string) =>
  z
    .object({
      name: z.string().max(253).describe("Name of the BackupRun."),
      slot: when("Its slot, or when a run on request was created.").optional(),
    })
    .optional()
    .describe(what);

export const scheduleStatusSchema = z.object({
  observedGeneration: z.int().min(0).optional().describe("metadata.generation of the spec that the status is about."),
  conditions: conditions("Ready, Verified and Overdue, each with a named reason; kubectl wait reads them."),
  lastSlot: when(
    "The newest slot that a run was made for, or that was missed; older slots are never looked at again.",
  ).optional(),
  timing: z
    .string()
    .max(300)
    .optional()
    .describe("Interval or cron and time zone that lastSlot is of; when they change, slots count from that moment."),
  lastRun: runRef("The newest run."),
  lastCompletedRun: runRef("The newest run that completed."),
  nextRunAt: when("When the next run starts.").optional(),
  missed: z.int().min(0).optional().describe("Slots that were missed: no run was started within the deadline."),
  lastVerification: z
    .object({
      run: z.string().max(253).describe("Name of the BackupRun."),
      at: when("When the verification ended."),
      outcome: z.enum(["verified", "failed"]).describe("How it ended."),
    })
    .optional()
    .describe("The last verification of a run by a restore."),
});

export type ScheduleSpec = z.output<typeof scheduleSpecSchema>;
export type ScheduleStatus = z.output<typeof scheduleStatusSchema>;

/** A BackupSchedule as the API server returns it. */
export type BackupSchedule = Stored<"BackupSchedule", ScheduleSpec, ScheduleStatus>;
