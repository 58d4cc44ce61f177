import * as z from "zod";
import { parseCa } from "../../../guard/ca.ts";
import { UrlError } from "../../../guard/url.ts";
import { logEntrySchema, migrationStateSchema, progressSchema } from "../../../resources/migration.ts";
import { optionsSchema } from "../../../resources/options.ts";
import { listOf, pageSchema, resultOf } from "../../accounts/shapes.ts";

/** What the verbs of migrations take and answer, field by field; REST, MCP and their documentation are made from these. */

/** Sealed, as 3 bytes of UTF-8 a character at most, it is under the 8,192 characters that a Migration has for it. */
const longestUrl = 2000;
/** Only said: what is wrong with a URL is for the guard to find, with the fix. */
const urlPattern =
  "^(mysql|mariadb|postgres|postgresql)://[^\\s/?#@:]+(:[^\\s/?#@]*)?@[^\\s/?#@,]+/[^\\s/?#]+(\\?[^\\s#]*)?$";

/** `stored`: a URL of a migration; else one that only a single call is for. */
export const url = (which: string, stored: boolean) =>
  z
    .string()
    .min(1)
    .max(longestUrl)
    .meta({
      description: `Connection URL of the ${which}: scheme://user:password@host:port/database with mysql, mariadb, postgres or postgresql. ${stored ? "Stored encrypted and never returned." : "Used for this call only; not stored or returned."}`,
      pattern: urlPattern,
    });

/** What the API stores of a CA is certificates, and no other text. */
function refuseNoCa(text: string, context: z.RefinementCtx): void {
  try {
    if (!parseCa(text).moreText) return;
    context.addIssue({
      code: "custom",
      message: "must contain only certificates as PEM: remove the text between them",
    });
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    context.addIssue({ code: "custom", message: error.message.replace(/^the CA /, "") });
  }
}

export const ca = (whose: "source_ca" | "target_ca") => {
  const stored = optionsSchema.shape[whose].unwrap();
  return z
    .string()
    .max(stored.maxLength ?? 0)
    .superRefine(refuseNoCa)
    .describe(`PEM of the CA that signed the ${whose.replace("_ca", "")}'s certificate.`);
};

/**
 * Options as a caller writes them: what is not named has its default, what is not known is refused. Whoever shares the installation with
 * strangers cannot hold a slot by a run that stands still, so that a stall always ends; `kubectl` may say never.
 */
export const givenOptionsSchema = z
  .strictObject({
    ...optionsSchema.shape,
    source_ca: ca("source_ca").exactOptional(),
    target_ca: ca("target_ca").exactOptional(),
    stall_timeout: z
      .int()
      .min(30)
      .max(86_400)
      .default(600)
      .describe("Seconds without any progress after which the run ends with the cause."),
  })
  .describe("How to copy: the fields of Migration.spec.options.");

export const pairSchema = z.strictObject({
  source_url: url("source, which is only read", false),
  target_url: url("target", false),
  options: givenOptionsSchema.exactOptional(),
});
export type Pair = z.output<typeof pairSchema>;

export const createSchema = pairSchema.extend({
  source_url: url("source, which is only read", true),
  target_url: url("target", true),
  name: z
    .string()
    .max(100)
    .refine((text) => /^\S([^\r\n\u2028\u2029]*\S)?$/u.test(text) && !text.includes("://"), {
      error: "must be one line of 1 to 100 characters, without a blank at either end and without a URL",
    })
    // Other languages that read the document have neither lookaheads nor `\u`.
    .meta({
      description: "Your name for it, which lists show. Names do not have to be unique.",
      pattern: "^\\S([^\\r\\n\u2028\u2029]*\\S)?$",
      not: { pattern: "://" },
    })
    .exactOptional(),
  estimate_id: z
    .string()
    .min(1)
    .max(1024)
    .describe("Id of an earlier estimate or preflight of the same account and URLs.")
    .exactOptional(),
  keep_urls_days: z
    .int()
    .min(0)
    .max(3650)
    .describe(
      "Days after completion when the sealed URLs are removed; 0: at once. A reset needs them. Default and effective maximum: the installation's, which is 30 unless changed. Higher numbers count as that.",
    )
    .exactOptional(),
});
export type CreateInput = z.output<typeof createSchema>;

export const retrySchema = z
  .strictObject({
    source_url: url("source, in place of the present one", true).exactOptional(),
    target_url: url("target, in place of the present one", true).exactOptional(),
  })
  .describe("Other URLs, where the present ones cannot work: both, or none.")
  .meta({ anyOf: [{ maxProperties: 0 }, { required: ["source_url", "target_url"] }] });
export type NewUrls = z.output<typeof retrySchema>;

export const connectionTestSchema = z.strictObject({
  url: url("database", false),
  ca: ca("source_ca").describe("PEM of the CA that signed the server's certificate.").exactOptional(),
});

export const resetSchema = z.strictObject({
  confirm: z
    .boolean()
    .default(false)
    .describe(
      "`true`: clean the target and run again. Otherwise the response only lists what would be dropped, and the price.",
    ),
});

/** What is no UUID is nobody's id: 404, as of an unknown one. */
export const idSchema = z.string().min(1).max(100).describe("The migration's id.").meta({ format: "uuid" });

export const listQuerySchema = pageSchema.extend({
  status: migrationStateSchema.describe("Only migrations with this status.").exactOptional(),
});

export const logsQuerySchema = pageSchema.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(1000).describe("Entries of a page, at most."),
});

export const typeSchema = z
  .enum(["transfer", "conversion"])
  .describe("Same engine, or across engines; found out from the URLs.");
export const time = (what: string) => z.iso.datetime().describe(what);
export const cost = z.number().min(0).describe("Price in units of the currency; 0 where nothing is charged.");
export const currency = z.string().describe("ISO 4217 code, such as USD.");
export const size = z
  .number()
  .int()
  .min(0)
  .nullable()
  .describe(
    "Measured size of the source in bytes, by the run or for the estimate that it was created with; null before that.",
  );

/** As lists show it. */
export const listedSchema = z.object({
  id: z.string().describe("Opaque UUID."),
  name: z.string().describe("The name that it was created with; else the name of its Kubernetes resource."),
  status: migrationStateSchema.describe("Status of the migration."),
  type: typeSchema.nullable(),
  size,
  cost: z
    .number()
    .min(0)
    .describe(
      "Charged amount minus refunds, in units of the currency; 0 until the capture and where nothing is charged.",
    ),
  amount_due: z
    .number()
    .min(0)
    .nullable()
    .describe("Price of the run that awaits payment, in units of the currency; null with any other status."),
  currency,
  created_at: time("When it was created."),
});
export type MigrationListItem = z.output<typeof listedSchema>;

export const logSchema = z.object(logEntrySchema.shape).describe("A milestone of a run.");

const progress = progressSchema
  .omit({ etaSeconds: true, updatedAt: true, table: true })
  .extend({
    eta_seconds: z
      .number()
      .nullable()
      .describe(
        "Seconds until the data is copied, then until keys are made, then until all is compared; null where that is not known.",
      ),
    current: z
      .array(
        z.object({
          name: z.string().describe("The table, with its schema."),
          rows: z.number().describe("Rows that were copied."),
          total: z.number().describe("Rows of the source's table, by its statistics until they are counted."),
          state: z.string().describe("`waiting`, `copying`, `indexing` or `done`."),
        }),
      )
      .describe("Tables in work first, then the largest ones waiting; at most 40."),
    updated_at: time("Time of these numbers."),
  })
  .describe("Progress of the run.");

export const oneSchema = listedSchema.extend({
  attempt: z.number().int().describe("1, and one more for each retry. A reset does not change it."),
  reset: z.number().int().describe("How often it was reset. The present run's number is `attempt` + `reset`."),
  queue_position: z
    .number()
    .int()
    .nullable()
    .describe(
      "Place in the queue while a limit holds it back; beyond 50 it is rounded up, to 100, 200, 500 and so on.",
    ),
  started_at: time("When the first run started. A retry or a reset does not change it.").nullable(),
  run_started_at: time(
    "When the present run started; null while its status is `pending`. A retry or a reset starts another run.",
  ).nullable(),
  finished_at: time("When the run completed or failed.").nullable(),
  progress: progress.nullable(),
  error: z
    .object({
      code: z.string().describe("Stable name, in snake_case."),
      message: z.string().describe("The event, with the fix of an error."),
      retryable: z
        .boolean()
        .describe(
          "`true`: a retry may succeed although nobody changes anything, as after a lost connection. `false`: the same run would fail again; fix the cause first, or retry with other URLs.",
        ),
    })
    .nullable()
    .describe("Why the run failed."),
  report: z
    .object({ tables: z.number(), rows: z.number(), reported: z.number() })
    .nullable()
    .describe("Sums of the report: tables and rows copied, and objects that were not copied or were changed."),
  options: optionsSchema
    .omit({ source_ca: true, target_ca: true })
    .nullable()
    .describe("Options of the copy; null if they are invalid, which only `kubectl` can write."),
  logs: z.array(logSchema).describe("The last milestones, oldest first; the logs endpoint has all."),
});
export type One = z.output<typeof oneSchema>;

export const listSchema = listOf(listedSchema);
export const logsSchema = listOf(logSchema);

export const eventDataSchema = z.union([
  oneSchema
    .omit({ logs: true, options: true })
    .describe("Data of `status`: the migration, without `logs` and `options`."),
  logSchema.describe("Data of `log`: an entry of the log."),
  z.object({ status: z.enum(["completed", "failed", "deleted"]) }).describe("Data of `end`: the last status."),
]);

export const createdSchema = resultOf({
  migration: listedSchema,
  amount: z.number().describe("Price of the run; only if a payment is due.").exactOptional(),
  checkout_url: z
    .url()
    .describe("URL where the user authorizes the payment; only if a payment is due. Without it the run has started.")
    .exactOptional(),
  covered_by_plan: z.boolean().describe("No charge for this run.").exactOptional(),
  free: z.boolean().describe("It is the free first migration.").exactOptional(),
});
export type Created = z.output<typeof createdSchema>;

export const actedSchema = resultOf({ migration: listedSchema });
export type Acted = z.output<typeof actedSchema>;

export const againSchema = actedSchema.extend({
  amount: z.number().describe("Price of the next run, in currency units; only with `checkout_url`.").exactOptional(),
  checkout_url: z
    .url()
    .describe("URL where the user authorizes the payment of the next run. Without it the next run is covered.")
    .exactOptional(),
});
export type ActedAgain = z.output<typeof againSchema>;

export const checkoutSchema = actedSchema.extend({
  amount: z.number().describe("Price of the run, in units of the currency."),
  checkout_url: z.url().describe("URL where the user authorizes the payment."),
});

export const resetResponseSchema = againSchema.extend({
  preview: z
    .object({
      stops_run: z.boolean().describe("A run is in progress and would be stopped."),
      drops: z
        .array(z.object({ kind: z.string(), name: z.string() }))
        .describe("Objects of the target that would be dropped, at most 500."),
      total: z
        .number()
        .int()
        .nullable()
        .describe("Number of objects; null if only the target has the complete list (the run did not complete)."),
      amount: z.number().describe("Price of the next run, in units of `currency`; 0: the run is covered."),
      currency: z.string(),
    })
    .describe("Preview of the reset; only without `confirm`.")
    .exactOptional(),
});

export type ResetResponse = z.output<typeof resetResponseSchema>;
