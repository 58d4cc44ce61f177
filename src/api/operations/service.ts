import * as z from "zod";
import { Problem } from "../../requests/errors.ts";
import type { Operation } from "../openapi/operation.ts";

/** What tells of the service itself: its description, and whether it is well. All public. */
export interface Service {
  ready: () => boolean;
  /** The OpenAPI document. */
  document: () => unknown;
}

const wellSchema = z.object({ status: z.literal("ok") }).describe("All is well.");

export const serviceOperations = ({ ready, document }: Service): Operation[] => [
  {
    id: "getOpenApi",
    method: "get",
    path: "/openapi.json",
    summary: "The machine-readable description",
    description: "This document: every endpoint, its authentication and its rate-limit tier.",
    tag: "Service",
    auth: "none",
    tier: "none",
    answer: {
      status: 200,
      description: "An OpenAPI 3.1 document.",
      schema: z.looseObject({ openapi: z.string() }).describe("An OpenAPI 3.1 document."),
    },
    problems: [],
    examples: { response: { openapi: "3.1.1" } },
    run: async () => ({ body: document() }),
  },
  {
    id: "getHealth",
    method: "get",
    path: "/healthz",
    summary: "Liveness",
    description: "Returns 200 while the process runs.",
    tag: "Service",
    auth: "none",
    tier: "none",
    answer: { status: 200, description: "It is alive.", schema: wellSchema },
    problems: [],
    examples: { response: { status: "ok" } },
    run: async () => ({ body: { status: "ok" }, headers: { "Cache-Control": "no-store" } }),
  },
  {
    id: "getReadiness",
    method: "get",
    path: "/readyz",
    summary: "Readiness",
    description: "Returns 200 once the replica has loaded the cluster's objects, and 503 while it shuts down.",
    tag: "Service",
    auth: "none",
    tier: "none",
    answer: { status: 200, description: "It is ready.", schema: wellSchema },
    problems: ["unavailable"],
    examples: { response: { status: "ok" } },
    async run() {
      if (!ready()) throw new Problem("unavailable", "This replica is starting or shutting down.", { retryAfter: 1 });
      return { body: { status: "ok" }, headers: { "Cache-Control": "no-store" } };
    },
  },
];
