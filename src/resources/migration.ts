import * as z from "zod";
import { reportBucketSchema, reportRefSchema } from "./archive/archive.ts";
import { boundedAssessmentSchema, neededMemorySchema } from "./assessment.ts";
import { databaseRefSchema, expiredUrl } from "./database.ts";
import type { Stored } from "./metadata.ts";
import { optionsSchema } from "./options.ts";
import { paymentSpecSchema, paymentStatusSchema } from "./payment.ts";
import {
  columnTexts,
  conditions,
  doneOfTotal,
  jobRef,
  listBy,
  onlyRaised,
  queuePosition,
  rules,
  when,
} from "./schema.ts";
import { workerSpecSchema } from "./worker.ts";

/**
 * The Migration kind: one copy of a database from a source to a target.
 * The CRD in `crds/` is generated from these schemas; descriptions serve `kubectl explain`.
 */

const timestamp = z.iso.datetime();

export const migrationSpecSchema = z
  .object({
    source: databaseRefSchema.describe("The database to copy from (MySQL, MariaDB or PostgreSQL). It is only read."),
    target: databaseRefSchema.describe("The database to copy to."),
    options: optionsSchema.optional().describe("How to copy."),
    payment: paymentSpecSchema.optional(),
    worker: workerSpecSchema.optional(),
    suspend: z.boolean().optional().describe("true: no run starts until it is false. A started run continues."),
    urlsKeptDays: z
      .int()
      .min(0)
      .max(3650)
      .optional()
      .describe(
        "Days after the completion when sealed URLs are taken out; 0: at once. A failed Migration keeps them for a retry. By default and at most the installation's days.",
      ),
    ttlSecondsAfterFinished: z
      .int()
      .min(0)
      .max(315_360_000)
      .optional()
      .describe(
        "Seconds after its end when the Migration is deleted, with its Job and report; while a payment is open it is kept. By default the installation's, which is never unless set.",
      ),
    attempt: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .describe(
        "Raise it by one to run a failed Migration again. The annotation rowferry.dev/attempt does the same, and the higher one counts.",
      ),
    reset: z
      .int()
      .min(0)
      .max(1000)
      .default(0)
      .describe(
        "Raise it by one to drop from the target what this Migration made there, and to run again, from any state.",
      ),
  })
  .meta(
    rules(
      [
        "!has(self.source.secretRef) || !has(self.target.secretRef) || self.source.secretRef.name != self.target.secretRef.name || self.source.secretRef.key != self.target.secretRef.key",
        "source and target are the same Secret and key: name two different databases",
      ],
      onlyRaised("attempt", "retry"),
      onlyRaised("reset", "reset"),
    ),
  );

/** A database as it was, or its sealed URL taken out after the end. */
const sameOrExpired = (side: "source" | "target") => {
  const [now, before] = [`self.spec.${side}`, `oldSelf.spec.${side}`];
  const expired = `has(${before}.sealedUrl) && has(${now}.sealedUrl) && ${now}.sealedUrl == '${expiredUrl}'`;
  const over = "has(oldSelf.status.state) && oldSelf.status.state in ['completed', 'failed']";
  return `(${now} == ${before} || (${expired} && ${over}))`;
};

/** Both sealed URLs are other ones, with which a failed Migration runs again. */
const resealed = [
  ...(["source", "target"] as const).flatMap((side) => [
    `has(self.spec.${side}.sealedUrl)`,
    `has(oldSelf.spec.${side}.sealedUrl)`,
    `self.spec.${side}.sealedUrl != oldSelf.spec.${side}.sealedUrl`,
  ]),
  "has(oldSelf.status.state)",
  "oldSelf.status.state == 'failed'",
  "(self.spec.attempt > oldSelf.spec.attempt || self.spec.reset > oldSelf.spec.reset)",
].join(" && ");

/** Rules on the whole object, where spec and status are both seen. */
export const migrationRules = [
  {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.startedAt) || (((${sameOrExpired("source")} && ${sameOrExpired("target")}) || (${resealed})) && has(self.spec.options) == has(oldSelf.spec.options) && (!has(self.spec.options) || self.spec.options == oldSelf.spec.options))`,
    message:
      "source, target and options cannot be changed once the Migration has started: raise attempt or reset to run it again, or create a new Migration",
  },
];

export const migrationStateSchema = z.enum(["awaiting_payment", "pending", "in_progress", "completed", "failed"]);
export type MigrationState = z.infer<typeof migrationStateSchema>;

export const logEntrySchema = z
  .object({
    id: z.string().max(32).describe("Unique in this Migration; sorts in the order of the log."),
    time: when("Time of the entry."),
    level: z.enum(["info", "warning", "error"]).describe("Severity."),
    message: z.string().max(1024).describe("The milestone, in words."),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });
export type LogEntry = z.infer<typeof logEntrySchema>;

/** Those that a status keeps. */
export const logEntries = (what: string) =>
  z.array(logEntrySchema).max(64).optional().describe(what).meta(listBy("id"));

const tableProgressSchema = z.object({
  name: z.string().max(256).describe("Name of the table in the source."),
  rows: z.int().min(0).describe("Rows copied so far."),
  total: z.int().min(0).describe("Rows expected; an estimate until the table is finished."),
  state: z.enum(["waiting", "copying", "indexing", "done"]).describe("Current work on the table."),
});

export const progressSchema = z.object({
  phase: z.enum(["connecting", "schema", "copying", "constraints", "verifying", "finished"]).describe("Current phase."),
  percent: z.int().min(0).max(100).describe("Percentage of the run that is done; 100 only when it is finished."),
  rows: doneOfTotal("Rows copied."),
  bytes: doneOfTotal("Bytes of the source copied."),
  tables: doneOfTotal("Tables finished, with their indexes."),
  etaSeconds: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Seconds until the data is copied, then until keys are made, then until all is compared, at the rate of the last half minute.",
    ),
  table: z
    .array(tableProgressSchema)
    .max(40)
    .describe("Tables in work first, then the largest ones waiting.")
    .meta({ "x-kubernetes-list-type": "atomic" }),
  updatedAt: when("When this was so."),
});
export type Progress = z.infer<typeof progressSchema>;

const reached: Record<Progress["phase"], boolean> = {
  connecting: false,
  schema: true,
  copying: true,
  constraints: true,
  verifying: true,
  finished: true,
};

/** Both servers have answered the run, and it may have written. */
export const hasReached = (progress: Progress | undefined): boolean =>
  progress !== undefined && reached[progress.phase];

/** What the worker says at the end of a run; `run` tells which one it was. */
const resultSchema = z.object({
  run: z.int().min(1).describe("The run that it is the result of."),
  outcome: z.enum(["completed", "failed"]).describe("Whether the copy was completed and verified."),
  reason: z.string().max(128).describe("CamelCase reason: `Verified`, or the engine error's code."),
  message: z.string().max(2048).describe("A sentence that a user can act on."),
  retryable: z.boolean().optional().describe("After a failure: whether the error can pass by itself."),
  finishedAt: when("When the result was stored."),
});

/**
 * Fields of two owners, so that they never race (server-side apply):
 * `rowferry-controller` holds state, conditions, its own log entries, run, attempt, reset, job, queue, times, retryable, resetDone,
 * madeIn and observedGeneration;
 * `rowferry-worker` (applied by the operator's endpoint for workers) holds heardAt, type, size, memory, finished, assessment, progress, columns,
 * its own log entries, report and result; `rowferry-payment` holds payment; `rowferry-report` holds reportBucket.
 */
export const migrationStatusSchema = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe(
      "metadata.generation of the spec that the state speaks of; while it is behind, the state is the old spec's.",
    ),
  state: migrationStateSchema.optional().describe("State of the Migration."),
  conditions: conditions(
    "Complete, Failed, Running, Ready, Reconciling and Stalled, each with a named reason; kubectl wait and kstatus read them.",
  ),
  run: z.int().min(1).optional().describe("The run that the state speaks of: attempt + reset."),
  attempt: z.int().min(1).optional().describe("The attempt of that run."),
  reset: z.int().min(0).optional().describe("spec.reset of that run."),
  job: jobRef("The run's Job. Once it is recorded no other Job is made for this run."),
  queuedAt: timestamp.optional().describe("When the run began to wait; the oldest gets the next free slot."),
  queuePosition: queuePosition("the Migration"),
  startedAt: timestamp.optional().describe("When the first run's Job was made."),
  runStartedAt: timestamp.optional().describe("When the present run's Job was made."),
  finishedAt: timestamp.optional().describe("When the run completed or failed."),
  retryable: z
    .boolean()
    .optional()
    .describe("After a failure: whether another run can succeed without a change. If false, fix the cause first."),
  resetDone: z
    .int()
    .min(0)
    .optional()
    .describe("The highest spec.reset whose cleaning of the target was seen done; a later retry does not clean again."),
  madeIn: z
    .string()
    .max(253)
    .optional()
    .describe("ConfigMap of the last completed run, with the list of objects that it made; a reset drops them."),
  log: logEntries("The last milestones; sort by id. The full log is in the report's ConfigMap."),
  heardAt: timestamp.optional().describe("Time of the last report of the run's worker, by the operator's clock."),
  type: z
    .enum(["transfer", "conversion"])
    .optional()
    .describe("Same engine, or across engines; found out from the URLs."),
  size: z.int().min(0).optional().describe("Measured size of the source in bytes."),
  finished: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Bytes read since the last reset, by all pods: all of finished tables, and a quarter of unfinished ones. Kept where the payment limits the size.",
    ),
  memory: neededMemorySchema.optional(),
  cost: z.number().min(0).optional().describe("Price of the run in currency units; absent where nothing is charged."),
  assessment: boundedAssessmentSchema
    .optional()
    .describe(
      "Findings before the run wrote anything; a blocker fails the run. `rowferry assess` prints the complete list.",
    ),
  progress: progressSchema.optional().describe("Progress of the run, from the worker's last report."),
  columns: z
    .object({
      ...columnTexts,
      eta: z.string().optional().describe("Time until the data is copied, or, while verifying, compared."),
    })
    .optional()
    .describe("The texts of kubectl's columns."),
  report: reportRefSchema.optional().describe("Location of the run's report, and its sums."),
  result: resultSchema.optional().describe("Result of the run, from the worker's last report."),
  payment: paymentStatusSchema.optional(),
  reportBucket: reportBucketSchema.optional().describe("Reports that are kept in the installation's bucket."),
});

/** `spec` as written by a user: defaulted fields may be absent. */
export type MigrationSpecInput = z.input<typeof migrationSpecSchema>;
/** `spec` as the API server stores it: defaults are filled in. */
export type MigrationSpec = z.output<typeof migrationSpecSchema>;
export type MigrationStatus = z.output<typeof migrationStatusSchema>;

/** A Migration as the API server returns it. */
export type Migration = Stored<"Migration", MigrationSpec, MigrationStatus>;
