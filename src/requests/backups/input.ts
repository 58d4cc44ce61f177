import * as z from "zod";
import {
  bucketName,
  bucketWords,
  prefixWords,
  regionName,
  regionWords,
  segments,
} from "../../resources/backup/object-names.ts";
import { bucketSchema, encryptionSchema } from "../../resources/backup/place.ts";
import { dailyCron, dailyCronMessage, retentionSchema, scheduleSpecSchema } from "../../resources/backup/schedule.ts";
import { title } from "../accounts/shapes.ts";
import { ca, url } from "../migrations/view/shapes.ts";

/** Fields of a backup schedule, as REST and MCP take them. */

const spec = scheduleSpecSchema.shape;
const describedAs = (schema: { description?: string | undefined }): string => schema.description ?? "";

const intervals = ["daily", "weekly", "monthly"] as const;
const interval = z
  .enum(intervals, { error: "must be daily, weekly or monthly: daily is the shortest interval" })
  .describe("How often: daily, weekly (on Sundays) or monthly (on the first). Daily is the shortest interval.");
const cron = z
  .string()
  .max(200)
  .refine((line) => dailyCron.test(line), { error: `must have one minute and one hour: ${dailyCronMessage}` })
  // For readers and clients; the fields in full are a pattern of a thousand characters.
  .meta({ pattern: "^[0-9]{1,2} [0-9]{1,2} [^ ]+ [^ ]+ [^ ]+$" })
  .describe(
    "When, instead of interval, as five fields: minute, hour, day of the month, month, weekday; one minute and one hour.",
  );

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
};
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), {
    error: "is not a time zone: use an IANA name, as Europe/Berlin",
  })
  .describe("IANA name of the time zone of interval and cron, as Europe/Berlin.");

const keep = retentionSchema.shape;
const number = (of: keyof typeof keep) => z.int().min(0).max(1000).describe(describedAs(keep[of])).exactOptional();
const retentionInput = z
  .strictObject({
    keep_last: number("keepLast"),
    daily: number("daily"),
    weekly: number("weekly"),
    monthly: number("monthly"),
    yearly: number("yearly"),
  })
  .refine((given) => Object.values(given).some((count) => count > 0), {
    error: "set at least one number above 0, or leave it out to keep all runs",
  })
  .describe(describedAs(retentionSchema));

const bucket = bucketSchema.shape;
const secret = (what: string, most: number) =>
  z.string().min(1).max(most).describe(`${what}. It is stored sealed and never returned.`);
const prefixError = `must be ${prefixWords}`;
const storageInput = z
  .strictObject({
    endpoint: z.string().min(1).max(512).describe(describedAs(bucket.endpoint)).exactOptional(),
    region: z
      .string()
      .regex(new RegExp(`^${regionName}$`), { error: `must be ${regionWords}` })
      .default("us-east-1")
      .describe(describedAs(bucket.region)),
    bucket: z
      .string()
      .regex(new RegExp(`^${bucketName}$`), { error: `must be ${bucketWords}` })
      .describe(describedAs(bucket.bucket)),
    prefix: z
      .string()
      .max(256)
      .regex(new RegExp(`^${segments}$`), { error: prefixError })
      .refine((prefix) => !prefix.includes(".."), { error: prefixError })
      .describe(describedAs(bucket.prefix))
      .exactOptional(),
    ca: ca("source_ca").describe(describedAs(bucket.ca)).exactOptional(),
    access_key_id: secret("Access key id", 256),
    secret_access_key: secret("Secret access key", 512),
    session_token: secret("Session token of temporary credentials", 2048).exactOptional(),
  })
  .describe("A bucket of an S3-compatible server. Default: the installation's storage.");
export type StorageInput = z.output<typeof storageInput>;

export const policies = { each_run: "EachRun", weekly: "Weekly", never: "Never" } as const;
export const deletions = { keep: "Keep", delete: "Delete" } as const;
const namesOf = <T extends string>(of: Readonly<Record<T, string>>) => Object.keys(of) as [T, ...T[]];

const policy = z
  .enum(namesOf(policies))
  .describe("Which runs are verified by a restore into a throw-away server: each, one a week, or none.");
const maxAge = z
  .int()
  .min(1)
  .max(400)
  .describe("Days after which the last verification is too old: the condition `verified` becomes false then.");
const deletion = z.enum(namesOf(deletions)).describe(describedAs(spec.deletionPolicy));
const deadline = z.int().min(60).max(604_800).describe(describedAs(spec.startingDeadlineSeconds));
const suspend = z.boolean().describe(describedAs(spec.suspend));
const recipients = z
  .array(
    z
      .string()
      .max(2048)
      .regex(/^age1[0-9a-z]+$/, { error: "must be an age public key: it begins with age1" }),
  )
  .min(1)
  .max(20)
  .describe(
    `${describedAs(encryptionSchema.shape.recipients)} Default: the installation's key ring. With your own keys, only the command line can restore.`,
  );
const database = url("database to back up, which is only read", true);
const scheduleName = title.describe("Name of the schedule: 1 to 100 characters on one line.");
const databaseCa = ca("source_ca").describe("PEM of the CA that signed the database server's certificate.");

export const oneTime = (given: { interval?: unknown; cron?: unknown }): boolean =>
  given.interval === undefined || given.cron === undefined;
export const oneTimeError = { error: "set interval or cron, not both", path: ["cron"] };

/** A tool of MCP takes them too, under the same rule about interval and cron. */
export const backupFields = {
  database_url: database,
  database_ca: databaseCa.exactOptional(),
  name: scheduleName.exactOptional(),
  interval: interval.exactOptional(),
  cron: cron.exactOptional(),
  time_zone: timeZone.default("Etc/UTC"),
  suspend: suspend.default(false),
  start_deadline_seconds: deadline.default(43_200),
  retention: retentionInput.exactOptional(),
  storage: storageInput.exactOptional(),
  recipients: recipients.exactOptional(),
  verification: z
    .strictObject({ policy: policy.default("weekly"), max_age_days: maxAge.default(10) })
    .prefault({})
    .describe("How backups are verified."),
  deletion_policy: deletion.default("keep"),
};

export const backupCreateSchema = z.strictObject(backupFields).refine(oneTime, oneTimeError);
export type BackupCreate = z.output<typeof backupCreateSchema>;

const removable = <T extends z.ZodType>(schema: T, becomes: string) =>
  schema
    .nullable()
    .describe(`${describedAs(schema)} null: ${becomes}.`)
    .exactOptional();

/** What is left out stays as it is. */
export const backupChangeSchema = z
  .strictObject({
    database_url: database.exactOptional(),
    database_ca: databaseCa.exactOptional(),
    name: removable(scheduleName, "no name"),
    interval: interval.exactOptional(),
    cron: cron.exactOptional(),
    time_zone: timeZone.exactOptional(),
    suspend: suspend.exactOptional(),
    start_deadline_seconds: deadline.exactOptional(),
    retention: removable(retentionInput, "all runs are kept"),
    storage: removable(storageInput, "the installation's storage"),
    recipients: removable(recipients, "the installation's key ring"),
    verification: z
      .strictObject({ policy: policy.exactOptional(), max_age_days: maxAge.exactOptional() })
      .describe("How backups are verified.")
      .exactOptional(),
    deletion_policy: deletion.exactOptional(),
  })
  .refine(oneTime, oneTimeError)
  .refine((given) => Object.keys(given).length > 0, { error: "set at least one field", path: [] })
  .refine((given) => given.database_ca === undefined || given.database_url !== undefined, {
    error: "set database_url too: URL and CA are stored together",
    path: ["database_ca"],
  })
  .refine((given) => !leadsElsewhere(given) || given.database_url !== undefined, {
    error: "set database_url too: the URL is sealed for use with this storage and these recipients alone",
    path: ["database_url"],
  })
  .meta({ minProperties: 1 });

const leadsElsewhere = ({ storage, recipients }: { storage?: unknown; recipients?: unknown }): boolean =>
  storage !== undefined || recipients !== undefined;
export type BackupChange = z.output<typeof backupChangeSchema>;
