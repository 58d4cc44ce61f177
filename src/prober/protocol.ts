import * as z from "zod";
import { assessmentSchema, boundedAssessmentSchema } from "../resources/assessment.ts";
import { optionsSchema } from "../resources/options.ts";

/**
 * What API and prober say to each other: JSON over mutual TLS, one POST for each probe.
 *
 * POST /preflight {source, target, options} → {assessment, counts, size} or {unreachable} with facts of the other side
 * POST /measure   {source}                  → {size} or {unreachable}
 * POST /test      {database}                → {engine, version, tls, latencyMs} or {unreachable}
 * POST /target    {database}                → {engine, version, objects} or {unreachable}
 *
 * Headers name the request of the API that it is part of, for the log, and the account whose it is.
 * Anything but 200 has {code, message}: 503 and Retry-After with code `busy` where too much is asked at once, `account_busy` where this
 * account alone asks too much.
 */
export const requestIdHeader = "x-request-id";
export const accountHeader = "x-rowferry-account";

const database = z.strictObject({
  url: z.string().min(1).max(8192),
  /** PEM. */
  ca: z.string().max(16_384).exactOptional(),
});

export const callSchemas = {
  preflight: z.strictObject({ source: database, target: database, options: optionsSchema }),
  measure: z.strictObject({ source: database }),
  test: z.strictObject({ database }),
  target: z.strictObject({ database }),
};

export type CallKind = keyof typeof callSchemas;
export type ProbeCall = { [K in CallKind]: { kind: K } & z.output<(typeof callSchemas)[K]> }[CallKind];

/** Characters of a text for a person. */
export const longestText = 1000;

const unreachableSchema = z.object({
  unreachable: z
    .array(
      z.object({
        side: z.enum(["source", "target"]).nullable(),
        code: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
        message: z.string().max(longestText),
      }),
    )
    .min(1)
    .max(2),
});

const server = { engine: z.enum(["MySQL", "MariaDB", "PostgreSQL"]), version: z.string().max(longestText) };

const latencyMs = z.number().min(0);
const count = z.number().min(0);

export const responseSchemas = {
  preflight: z.union([
    unreachableSchema.extend({
      source: z.object({ ...server, latencyMs, size: count, tables: count, rows: count }).exactOptional(),
      target: z.object({ ...server, latencyMs, empty: z.boolean() }).exactOptional(),
    }),
    z.object({
      assessment: assessmentSchema,
      counts: boundedAssessmentSchema.shape.counts,
      size: z.number().min(0),
    }),
  ]),
  measure: z.union([unreachableSchema, z.object({ size: z.number().min(0) })]),
  test: z.union([
    unreachableSchema,
    z.object({
      ...server,
      tls: z.boolean(),
      latencyMs: z.number().min(0),
    }),
  ]),
  target: z.union([unreachableSchema, z.object({ ...server, objects: z.int().min(0) })]),
};

export type ResponseOf<K extends CallKind> = z.output<(typeof responseSchemas)[K]>;
export type ProbeResponse = ResponseOf<CallKind>;

export const refusalSchema = z.object({ code: z.string(), message: z.string() });

/** Bytes. REST takes 64 KB; what it fills in (defaults of the options) comes on top. */
export const largestCall = 72 * 1024;
export const largestResponse = 1024 * 1024;

/** The only client that is taken: the CN of a certificate of the operator's CA. */
export const clientName = "rowferry-api";

/** Milliseconds from the call to its answer. */
export const deadlines: Record<CallKind, number> = { preflight: 30_000, measure: 10_000, test: 10_000, target: 10_000 };
