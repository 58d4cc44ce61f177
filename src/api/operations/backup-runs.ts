import * as z from "zod";
import { getRun, listRuns } from "../../requests/backups/list.ts";
import { runNow } from "../../requests/backups/run-now.ts";
import {
  backupIdSchema,
  oneRunSchema,
  runIdSchema,
  runListSchema,
  runNowSchema,
  runResponseSchema,
  runsSchema,
} from "../../requests/backups/shapes.ts";
import { verifyRun } from "../../requests/backups/verify.ts";
import type { Operation } from "../openapi/operation.ts";
import { keyOf, taggedOperations } from "./authenticated.ts";
import { newRunExample, oneRunExample, runExample } from "./backup-examples.ts";

/** Runs of a backup schedule: one on request, the history, and their verification. */

const { ofTeam } = taggedOperations("Backups");
const ofBackup = z.object({ id: backupIdSchema });
const ofRun = z.object({ id: backupIdSchema, run: runIdSchema });

export const backupRunOperations: readonly Operation[] = [
  ofTeam({
    id: "runBackup",
    method: "post",
    path: "/api/backups/{id}/run",
    summary: "Run a backup now",
    description:
      "Takes a backup now, also of a suspended schedule. A schedule has one run at a time: while one is not finished, the response is 409. With an `Idempotency-Key` a repeat does not start another run.",
    params: ofBackup,
    body: runNowSchema,
    bodyOptional: true,
    idempotent: true,
    answer: {
      status: 202,
      description: "The run is queued.",
      schema: runResponseSchema,
      location: "/api/backups/{/run/backup}/runs/{/run/id}",
    },
    problems: [
      "backups_disabled",
      "not_found",
      "other_team",
      "state_conflict",
      "idempotency_key_reused",
      "limit_reached",
      "busy",
    ],
    examples: {
      request: { verify: true },
      response: {
        message: "The backup is queued: poll the run until its status is completed or failed.",
        run: { ...newRunExample, verification: { ...newRunExample.verification, status: "requested" } },
      },
    },
    run: async (world, caller, call) => ({
      body: await runNow(world, caller, call.params.id, call.body, call.idempotencyKey),
    }),
  }),
  ofTeam({
    id: "listBackupRuns",
    method: "get",
    path: "/api/backups/{id}/runs",
    summary: "List the runs of a schedule",
    description:
      "The run history, newest first. A deleted schedule whose runs were kept still lists them. `GET /api/restores` lists restores.",
    params: ofBackup,
    query: runListSchema,
    answer: { status: 200, description: "A page of runs.", schema: runsSchema },
    problems: ["backups_disabled", "invalid", "not_found", "other_team"],
    examples: { response: { data: [runExample], next_cursor: null } },
    run: async (world, caller, call) => ({ body: await listRuns(world, caller, call.params.id, call.query) }),
  }),
  ofTeam({
    id: "getBackupRun",
    method: "get",
    path: "/api/backups/{id}/runs/{run}",
    summary: "Show a run",
    description:
      "One run with its progress and its last milestones. Poll it until its `status` is `completed` or `failed`.",
    params: ofRun,
    answer: { status: 200, description: "The run.", schema: oneRunSchema },
    problems: ["backups_disabled", "not_found", "other_team"],
    examples: { response: oneRunExample },
    run: async (world, caller, { params: { id, run } }) => ({ body: await getRun(world, caller, id, run) }),
  }),
  ofTeam({
    id: "verifyBackupRun",
    method: "post",
    path: "/api/backups/{id}/runs/{run}/verify",
    summary: "Verify a run",
    description:
      "Restores a completed run into a throw-away server and compares it with the backup, whatever the schedule's `verification.policy`. The result is the run's `verification`.",
    params: ofRun,
    idempotent: true,
    answer: { status: 202, description: "The verification is queued.", schema: runResponseSchema },
    problems: ["backups_disabled", "not_found", "other_team", "state_conflict", "limit_reached", "busy"],
    examples: {
      response: {
        message: "The verification is queued: poll the run until its verification is verified or failed.",
        run: { ...runExample, verification: { ...runExample.verification, status: "requested" } },
      },
    },
    run: async (world, caller, call) => ({ body: await verifyRun(world, caller, { ...call.params, ...keyOf(call) }) }),
  }),
];
