import { estimate } from "../../requests/migrations/probe/estimate.ts";
import { preflight } from "../../requests/migrations/probe/preflight.ts";
import { connectionSchema, estimateSchema, preflightSchema } from "../../requests/migrations/probe/probe-shapes.ts";
import { testConnection } from "../../requests/migrations/probe/test-connection.ts";
import { connectionTestSchema, pairSchema } from "../../requests/migrations/view/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { callerOf } from "./identity.ts";
import { connectionExample, estimateExample, pairExample, preflightExample } from "./migration-examples.ts";

/** What connects to a caller's database and creates nothing. */

const tag = "Preflight, estimates and connection tests";

export const probeOperations: readonly Operation[] = [
  {
    id: "preflightMigration",
    method: "post",
    path: "/api/migrations/preflight",
    summary: "Check a migration before it is created",
    description:
      "Connects to both databases and reports whether a copy could start and what it would not copy. Reports the size of the source, the estimated time and the price too. An unreachable database is no error: the response has `ready: false` and `reasons`.",
    tag,
    auth: "token",
    tier: "probe",
    body: pairSchema,
    answer: { status: 200, description: "The result.", schema: preflightSchema },
    problems: ["invalid", "url_refused", "busy"],
    examples: { request: pairExample, response: preflightExample },
    async run(world, call) {
      return { body: await preflight(world, callerOf(call), pairSchema.parse(call.body), call.asked) };
    },
  },
  {
    id: "estimateMigration",
    method: "post",
    path: "/api/estimates",
    summary: "Quote a price",
    description:
      "Measures the source and quotes a price that holds for 24 hours, for this account and these URLs: give its `estimate_id` to create.",
    tag,
    auth: "token",
    tier: "probe",
    body: pairSchema,
    answer: { status: 200, description: "The quote.", schema: estimateSchema },
    problems: ["invalid", "url_refused", "source_unreachable", "busy"],
    examples: { request: pairExample, response: estimateExample },
    async run(world, call) {
      return { body: await estimate(world, callerOf(call), pairSchema.parse(call.body), call.asked) };
    },
  },
  {
    id: "testConnection",
    method: "post",
    path: "/api/connections/test",
    summary: "Test a connection",
    description:
      "Connects to one database and reports its engine, version, encryption and latency, or why it cannot be reached.",
    tag,
    auth: "token",
    tier: "probe",
    body: connectionTestSchema,
    answer: { status: 200, description: "The result.", schema: connectionSchema },
    problems: ["invalid", "url_refused", "busy"],
    examples: { request: { url: pairExample.target_url }, response: connectionExample },
    async run(world, call) {
      return { body: await testConnection(world, callerOf(call), connectionTestSchema.parse(call.body), call.asked) };
    },
  },
];
