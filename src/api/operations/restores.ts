import * as z from "zod";
import { reportSchema } from "../../engine/report/schema.ts";
import { getRestore, listRestores, restoreReport } from "../../requests/backups/list.ts";
import { restoreRun } from "../../requests/backups/restore.ts";
import {
  backupIdSchema,
  oneRestoreSchema,
  restoreIdSchema,
  restoreListSchema,
  restoreResponseSchema,
  restoreSchema,
  restoresSchema,
  runIdSchema,
} from "../../requests/backups/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { keyOf, taggedOperations } from "./authenticated.ts";
import { oneRestoreExample, restoreExample } from "./backup-examples.ts";
import { reportExample } from "./migration-examples.ts";

/** Restores of runs into a database. They are free, and count in the read tier alone. */

const { ofTeam } = taggedOperations("Backups");
const ofRun = z.object({ id: backupIdSchema, run: runIdSchema });
const params = z.object({ id: restoreIdSchema });

export const restoreOperations: readonly Operation[] = [
  ofTeam({
    id: "restoreBackup",
    method: "post",
    path: "/api/backups/{id}/runs/{run}/restore",
    summary: "Restore a run",
    description:
      "Restores a completed run into a database on any host, free of charge. For a database of another engine the backup is converted, if the installation has an image of the backup's server. The target is checked first: if it is not empty, the response is 409 `target_not_empty` unless `allow_not_empty` is set. With an `Idempotency-Key` a repeat does not restore again.",
    tier: "read",
    params: ofRun,
    body: restoreSchema,
    idempotent: true,
    answer: {
      status: 202,
      description: "The restore is queued.",
      schema: restoreResponseSchema,
      location: "/api/restores/{/restore/id}",
    },
    problems: [
      "backups_disabled",
      "not_found",
      "other_team",
      "state_conflict",
      "url_refused",
      "target_unreachable",
      "target_not_empty",
      "idempotency_key_reused",
      "limit_reached",
      "busy",
    ],
    examples: {
      request: { target_url: "postgresql://writer:secret@db2.shop.internal/shop" },
      response: {
        message: "The restore is queued: poll it until its status is completed or failed. It is free of charge.",
        restore: restoreExample,
      },
    },
    run: async (world, caller, { params, body: input, asked, ...call }) => ({
      body: await restoreRun(world, caller, { ...params, input, asked, ...keyOf(call) }),
    }),
  }),
  ofTeam({
    id: "listRestores",
    method: "get",
    path: "/api/restores",
    summary: "List restores",
    description: "The acting team's restores, newest first. Verifications are not listed: their runs show them.",
    query: restoreListSchema,
    answer: { status: 200, description: "A page of restores.", schema: restoresSchema },
    problems: ["backups_disabled", "invalid"],
    examples: { response: { data: [restoreExample], next_cursor: null } },
    run: async (world, caller, call) => ({ body: await listRestores(world, caller, call.query) }),
  }),
  ofTeam({
    id: "getRestore",
    method: "get",
    path: "/api/restores/{id}",
    summary: "Show a restore",
    description:
      "One restore with its progress and its last milestones. Poll it until its `status` is `completed` or `failed`.",
    params,
    answer: { status: 200, description: "The restore.", schema: oneRestoreSchema },
    problems: ["backups_disabled", "not_found", "other_team"],
    examples: { response: oneRestoreExample },
    run: async (world, caller, call) => ({ body: await getRestore(world, caller, call.params.id) }),
  }),
  ofTeam({
    id: "getRestoreReport",
    method: "get",
    path: "/api/restores/{id}/report",
    summary: "Show the report of a restore into another engine",
    description:
      "Every table with the rows counted on both sides, and every object of the backup with what became of it, as a migration's report. A restore that did not convert has none.",
    params,
    answer: { status: 200, description: "The report.", schema: reportSchema },
    problems: ["backups_disabled", "not_found", "other_team", "state_conflict", "busy"],
    examples: { response: reportExample },
    run: async (world, caller, call) => ({ large: await restoreReport(world, caller, call.params.id) }),
  }),
];
