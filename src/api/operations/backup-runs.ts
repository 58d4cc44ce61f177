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
import { newRunExample, oneRunExample, runExample } from "./backup-examples.ts";
import { callerOf } from "./identity.ts";

/** Runs of a backup schedule: one on request, the history, and their verification. */

const tag = "Backups";
const ofBackup = z.object({ id: backupIdSchema });
const ofRun = z.object({ id: backupIdSchema, run: runIdSchema });

export const backupRunOperations: readonly Operation[] = [
  {
    id: "runBackup",
    method: "post",
    path: "/api/backups/{id}/run",
    summary: "Run a backup now",
    description:
      "Takes a backup now, also of a suspended schedule. A schedule has one run at a time: while one is not finished, the response is 409. With an `Idempotency-Key` a repeat does not start another run.",
    tag,
    auth: "token",
    tier: "write",
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
    async run(world, call) {
      const { id } = ofBackup.parse(call.params);
      const input = runNowSchema.parse(call.body);
      return { body: await runNow(world, callerOf(call), id, input, call.idempotencyKey) };
    },
  },
  {
    id: "listBackupRuns",
    method: "get",
    path: "/api/backups/{id}/runs",
    summary: "List the runs of a schedule",
    description:
      "The run history, newest first. A deleted schedule whose runs were kept still lists them. `GET /api/restores` lists restores.",
    tag,
    auth: "token",
    tier: "read",
    params: ofBackup,
    query: runListSchema,
    answer: { status: 200, description: "A page of runs.", schema: runsSchema },
    problems: ["backups_disabled", "invalid", "not_found", "other_team"],
    examples: { response: { data: [runExample], next_cursor: null } },
    async run(world, call) {
      const { id } = ofBackup.parse(call.params);
      return { body: await listRuns(world, callerOf(call), id, runListSchema.parse(call.query)) };
    },
  },
  {
    id: "getBackupRun",
    method: "get",
    path: "/api/backups/{id}/runs/{run}",
    summary: "Show a run",
    description:
      "One run with its progress and its last milestones. Poll it until its `status` is `completed` or `failed`.",
    tag,
    auth: "token",
    tier: "read",
    params: ofRun,
    answer: { status: 200, description: "The run.", schema: oneRunSchema },
    problems: ["backups_disabled", "not_found", "other_team"],
    examples: { response: oneRunExample },
    async run(world, call) {
      const { id, run } = ofRun.parse(call.params);
      return { body: await getRun(world, callerOf(call), id, run) };
    },
  },
  {
    id: "verifyBackupRun",
    method: "post",
    path: "/api/backups/{id}/runs/{run}/verify",
    summary: "Verify a run",
    description:
      "Restores a completed run into a throw-away server and compares it with the backup, whatever the schedule's `verification.policy`. The result is the run's `verification`.",
    tag,
    auth: "token",
    tier: "write",
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
    async run(world, call) {
      const key = call.idempotencyKey === undefined ? {} : { idempotencyKey: call.idempotencyKey };
      return { body: await verifyRun(world, callerOf(call), { ...ofRun.parse(call.params), ...key }) };
    },
  },
];
