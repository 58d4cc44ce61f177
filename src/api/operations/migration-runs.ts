import * as z from "zod";
import { reportSchema } from "../../engine/report/schema.ts";
import { events } from "../../requests/migrations/events.ts";
import { logs } from "../../requests/migrations/logs.ts";
import { readReportOf } from "../../requests/migrations/report.ts";
import { eventDataSchema, idSchema, logsQuerySchema, logsSchema } from "../../requests/migrations/view/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";
import { logsExample, oneExample, reportExample } from "./migration-examples.ts";

/** What a migration's runs say: log, events and report. */

const { ofTeam } = taggedOperations("Migrations");
const params = z.object({ id: idSchema });
const { logs: _logs, options: _options, ...statusExample } = oneExample;

export const migrationRunOperations: readonly Operation[] = [
  ofTeam({
    id: "getMigrationLogs",
    method: "get",
    path: "/api/migrations/{id}/logs",
    summary: "Show the log",
    description:
      "The log, oldest first: complete once the run has completed, until then its last milestones. After a failure the last error has the cause and the fix.",
    params,
    query: logsQuerySchema,
    answer: { status: 200, description: "A page of the log.", schema: logsSchema },
    problems: ["invalid", "not_found", "other_team", "busy"],
    examples: { response: logsExample },
    run: async (world, caller, call) => ({ body: await logs(world, caller, call.params.id, call.query) }),
  }),
  ofTeam({
    id: "streamMigrationEvents",
    method: "get",
    path: "/api/migrations/{id}/events",
    summary: "Follow a migration",
    description:
      "Server-sent events: `log` with an entry of the log, `status` with the migration whenever it changed, and `end` with the last status. The data of `status` lacks `logs` and `options`. The stream closes after `end`. With `Last-Event-ID` it resumes after that event; after `end` the response is 204.",
    params,
    streams: true,
    answer: { status: 200, description: "The events.", schema: eventDataSchema },
    alsoAnswers: [{ status: 204, description: "The stream has ended: the client has received `end`." }],
    problems: ["not_found", "other_team", "limit_reached", "busy"],
    examples: { response: statusExample },
    async run(world, caller, call) {
      const stream = await events(world, caller, call.params.id, call.lastEventId);
      return stream === undefined ? { status: 204 } : { stream };
    },
  }),
  ofTeam({
    id: "getMigrationReport",
    method: "get",
    path: "/api/migrations/{id}/report",
    summary: "Show the verification report",
    description:
      "Every table with its row counts in source and target, every object of the source with its outcome, and the verification. It is available once the status is `completed`. If a later reset or retry fails, it stays the report of the last completed run.",
    params,
    answer: { status: 200, description: "The report.", schema: reportSchema },
    problems: ["not_found", "other_team", "state_conflict", "busy"],
    examples: { response: reportExample },
    run: async (world, caller, call) => ({ large: await readReportOf(world, caller, call.params.id) }),
  }),
];
