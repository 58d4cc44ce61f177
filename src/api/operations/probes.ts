import { estimate } from "../../requests/migrations/probe/estimate.ts";
import { preflight } from "../../requests/migrations/probe/preflight.ts";
import { connectionSchema, estimateSchema, preflightSchema } from "../../requests/migrations/probe/probe-shapes.ts";
import { testConnection } from "../../requests/migrations/probe/test-connection.ts";
import { connectionTestSchema, pairSchema } from "../../requests/migrations/view/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";
import { connectionExample, estimateExample, pairExample, preflightExample } from "./migration-examples.ts";

/** What connects to a caller's database and creates nothing. */

const { ofTeam } = taggedOperations("Preflight, estimates and connection tests");

export const probeOperations: readonly Operation[] = [
  ofTeam({
    id: "preflightMigration",
    method: "post",
    path: "/api/migrations/preflight",
    summary: "Check a migration before it is created",
    description:
      "Connects to both databases and reports whether a copy could start and what it would not copy. Reports the size of the source, the estimated time and the price too. An unreachable database is no error: the response has `ready: false` and `reasons`.",
    tier: "probe",
    body: pairSchema,
    answer: { status: 200, description: "The result.", schema: preflightSchema },
    problems: ["invalid", "url_refused", "busy"],
    examples: { request: pairExample, response: preflightExample },
    run: async (world, caller, call) => ({ body: await preflight(world, caller, call.body, call.asked) }),
  }),
  ofTeam({
    id: "estimateMigration",
    method: "post",
    path: "/api/estimates",
    summary: "Quote a price",
    description:
      "Measures the source and quotes a price that holds for 24 hours, for this account and these URLs: give its `estimate_id` to create.",
    tier: "probe",
    body: pairSchema,
    answer: { status: 200, description: "The quote.", schema: estimateSchema },
    problems: ["invalid", "url_refused", "source_unreachable", "busy"],
    examples: { request: pairExample, response: estimateExample },
    run: async (world, caller, call) => ({ body: await estimate(world, caller, call.body, call.asked) }),
  }),
  ofTeam({
    id: "testConnection",
    method: "post",
    path: "/api/connections/test",
    summary: "Test a connection",
    description:
      "Connects to one database and reports its engine, version, encryption and latency, or why it cannot be reached.",
    tier: "probe",
    body: connectionTestSchema,
    answer: { status: 200, description: "The result.", schema: connectionSchema },
    problems: ["invalid", "url_refused", "busy"],
    examples: { request: { url: pairExample.target_url }, response: connectionExample },
    run: async (world, caller, call) => ({ body: await testConnection(world, caller, call.body, call.asked) }),
  }),
];
