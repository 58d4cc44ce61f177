import * as z from "zod";
import { cost, currency, size, time, typeSchema } from "../view/shapes.ts";

/** What a preflight, an estimate and a connection test answer. */

const reasonSchema = z.object({
  side: z
    .enum(["source", "target"])
    .nullable()
    .describe("The database that cannot be used; null if the reason is another blocker of the copy."),
  code: z.string().describe("Stable name, in snake_case."),
  message: z.string().describe("Reason and fix."),
});

const findingSchema = z.object({
  severity: z
    .enum(["blocker", "warning", "note"])
    .describe(
      "`blocker`: the copy would fail. `warning`: something would be lost or changed. `note`: for information.",
    ),
  code: z.string().describe("Stable name, in snake_case."),
  object: z.string().describe("The object, with its kind: a table, a column, a setting."),
  reason: z.string().describe("The reason."),
  fix: z.string().nullable().describe("The fix; null if there is nothing to do."),
});

const quote = {
  estimate_id: z.string().describe("Send it with create to get this price."),
  amount: cost,
  currency,
  lines: z
    .array(z.object({ text: z.string(), amount: z.number().describe("In units of the currency.") }))
    .describe("Line items of the price; they add up to `amount`. Empty where nothing is charged."),
  size: z.number().int().min(0).describe("Size of the source in bytes."),
  type: typeSchema,
  free_eligible: z.boolean().describe("A create now would be the account's free first migration."),
  covered_by_plan: z.boolean().describe("A create now would not be charged."),
  expires_at: time("Expiry of the price."),
};
export const estimateSchema = z.object(quote);
export type EstimateView = z.output<typeof estimateSchema>;

const reachable = z
  .boolean()
  .nullable()
  .describe(
    "The server responds, even if it refuses the login or TLS: `reasons` has that. null if the probe ran out of time.",
  );

const side = {
  reachable,
  engine: z.string().nullable().describe("MySQL, MariaDB or PostgreSQL."),
  version: z.string().nullable().describe("The server's version, as it reports it."),
  latency_ms: z.number().nullable().describe("Milliseconds of a round trip."),
};

export const preflightSchema = z.object({
  ready: z.boolean().describe("Both databases accept the login and nothing blocks the copy."),
  estimate: estimateSchema
    .extend({
      seconds: z
        .object({
          least: z.number().describe("Seconds at best."),
          most: z.number().describe("Seconds at worst."),
        })
        .nullable()
        .describe(
          "How long the copying may take; null if the pair could not be assessed. Queueing, the start of the run and its checks come on top. Do not use it as a timeout.",
        ),
      basis: z.string().nullable().describe("Rates and round trips that the estimate assumes or measured."),
    })
    .nullable()
    .describe("Price and time; null where the source cannot be measured."),
  free_eligible: quote.free_eligible,
  covered_by_plan: quote.covered_by_plan,
  estimate_id: quote.estimate_id.nullable(),
  amount: quote.amount.nullable(),
  currency,
  type: typeSchema,
  size,
  source: z.object({
    ...side,
    tables: z.number().nullable().describe("Number of tables."),
    rows: z.number().nullable().describe("Number of rows, by the server's statistics."),
  }),
  target: z.object({
    ...side,
    empty: z.boolean().nullable().describe("The target has no tables, views or other objects of a user."),
    free_space: z.number().nullable().describe("Free bytes of its disk, where the server reports them."),
    drops: z
      .object({ tables: z.number(), rows: z.number().describe("Number of rows; an estimate where there are many.") })
      .nullable()
      .describe(
        "Tables of the target that the copy drops (with `content: data`: empties) with all their rows, by `options.drop`. The findings with the code `target_rows_dropped` name them. null: none.",
      ),
  }),
  reasons: z.array(reasonSchema).describe("Why it is not ready."),
  findings: z
    .array(findingSchema)
    .describe("Findings of the assessment: blockers first, then warnings, then notes; at most 200."),
  counts: z
    .object({
      blockers: z.number(),
      warnings: z.number(),
      notes: z.number(),
      copied: z.number(),
      converted: z.number(),
      reported: z.number(),
      reported_kinds: z.record(z.string(), z.number()).describe("Number of reported objects by kind."),
    })
    .nullable()
    .describe("Number of findings, and outcomes of the source's objects."),
});
export type Preflight = z.output<typeof preflightSchema>;

export const connectionSchema = z.object({
  reachable,
  engine: z.string().nullable(),
  version: z.string().nullable(),
  tls: z.boolean().nullable().describe("The connection was encrypted."),
  latency_ms: z.number().nullable(),
  reasons: z
    .array(reasonSchema.omit({ side: true }))
    .describe("Why a copy could not connect; empty if the connection works."),
});
export type ConnectionResponse = z.output<typeof connectionSchema>;
