import * as z from "zod";
import { createBackup } from "../../requests/backups/create.ts";
import { backupChangeSchema, backupCreateSchema } from "../../requests/backups/input.ts";
import { getBackup, listBackups } from "../../requests/backups/list.ts";
import {
  backupIdSchema,
  backupListSchema,
  backupResponseSchema,
  backupSchema,
  backupsSchema,
} from "../../requests/backups/shapes.ts";
import { removeBackup, updateBackup } from "../../requests/backups/update.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";
import { backupExample, createBackupExample, createdBackupExample } from "./backup-examples.ts";

/** Backup schedules, from create to delete. */

const { ofTeam } = taggedOperations("Backups");
const params = z.object({ id: backupIdSchema });

export const backupOperations: readonly Operation[] = [
  ofTeam({
    id: "createBackup",
    method: "post",
    path: "/api/backups",
    summary: "Create a backup schedule",
    description:
      "Backs up one database at fixed times; daily is the shortest interval, and the default. Nothing is connected to until the first run. With an `Idempotency-Key`, a repeat of the same body returns the same schedule, and another body is refused.",
    body: backupCreateSchema,
    idempotent: true,
    answer: {
      status: 201,
      description: "The schedule is created.",
      schema: backupResponseSchema,
      location: "/api/backups/{/backup/id}",
    },
    problems: [
      "backups_disabled",
      "invalid",
      "url_refused",
      "idempotency_key_reused",
      "limit_reached",
      "state_conflict",
      "busy",
    ],
    examples: {
      request: createBackupExample,
      response: {
        message: "The schedule is created. POST /api/backups/{id}/run takes a first backup now.",
        backup: createdBackupExample,
      },
    },
    run: async (world, caller, call) => ({ body: await createBackup(world, caller, call.body, call.idempotencyKey) }),
  }),
  ofTeam({
    id: "listBackups",
    method: "get",
    path: "/api/backups",
    summary: "List backup schedules",
    description:
      "The acting team's backup schedules, newest first; those that were made with `kubectl` in its namespace too.",
    query: backupListSchema,
    answer: { status: 200, description: "A page of schedules.", schema: backupsSchema },
    problems: ["backups_disabled", "invalid"],
    examples: { response: { data: [backupExample], next_cursor: null } },
    run: async (world, caller, call) => ({ body: await listBackups(world, caller, call.query) }),
  }),
  ofTeam({
    id: "getBackup",
    method: "get",
    path: "/api/backups/{id}",
    summary: "Show a backup schedule",
    description: "One schedule, with its next and last runs and its last verification.",
    params,
    answer: { status: 200, description: "The schedule.", schema: backupSchema },
    problems: ["backups_disabled", "not_found", "other_team"],
    examples: { response: backupExample },
    run: async (world, caller, call) => ({ body: await getBackup(world, caller, call.params.id) }),
  }),
  ofTeam({
    id: "updateBackup",
    method: "patch",
    path: "/api/backups/{id}",
    summary: "Change a backup schedule",
    description:
      "Changes the fields that the body has, and leaves the others. `suspend: true` stops new runs. A new `database_url` is for instance one with a new password; runs that have started keep the old one. The URL is sealed for use with one storage and one list of recipients: send `database_url` with `storage` or `recipients`.",
    params,
    body: backupChangeSchema,
    answer: { status: 200, description: "The schedule is changed.", schema: backupResponseSchema },
    problems: ["backups_disabled", "invalid", "url_refused", "not_found", "other_team", "busy"],
    examples: {
      request: { suspend: true },
      response: {
        message: "The schedule is changed.",
        backup: { ...backupExample, status: "suspended", next_run_at: null },
      },
    },
    run: async (world, caller, call) => ({ body: await updateBackup(world, caller, call.params.id, call.body) }),
  }),
  ofTeam({
    id: "deleteBackup",
    method: "delete",
    path: "/api/backups/{id}",
    summary: "Delete a backup schedule",
    description:
      "Deletes the schedule with its stored URL. Its runs are kept and can be restored, unless its `deletion_policy` is `delete`: then they are deleted with everything that they stored.",
    params,
    answer: {
      status: 200,
      description: "The schedule is deleted; from now on it is not found.",
      schema: backupResponseSchema,
    },
    problems: ["backups_disabled", "not_found", "other_team"],
    examples: {
      response: {
        message: `The schedule is deleted. Its runs are kept: GET /api/backups/${backupExample.id}/runs lists them, and they can be restored.`,
        backup: backupExample,
      },
    },
    run: async (world, caller, call) => ({ body: await removeBackup(world, caller, call.params.id) }),
  }),
];
