import * as z from "zod";
import { create } from "../../requests/migrations/create.ts";
import { getOne, listMigrations } from "../../requests/migrations/list.ts";
import { remove } from "../../requests/migrations/remove.ts";
import {
  actedSchema,
  createdSchema,
  createSchema,
  idSchema,
  listQuerySchema,
  listSchema,
  oneSchema,
} from "../../requests/migrations/view/shapes.ts";
import type { Operation } from "../openapi/operation.ts";
import { taggedOperations } from "./authenticated.ts";
import { actedExample, createdExample, listedExample, oneExample, pairExample } from "./migration-examples.ts";

/** Migrations: made, listed, shown and deleted. */

const { ofTeam } = taggedOperations("Migrations");
const params = z.object({ id: idSchema });

export const migrationOperations: readonly Operation[] = [
  ofTeam({
    id: "createMigration",
    method: "post",
    path: "/api/migrations",
    summary: "Create a migration",
    description:
      "Starts a copy from the source to the target; the URLs name the engines. If the response has no `checkout_url`, the migration has started: poll it until its `status` is `completed` or `failed`. If it has one, its `status` is `awaiting_payment`: open that URL and authorize the payment, and the run starts. Only this response and that of the checkout call have `checkout_url`. Without `estimate_id`, the source of an account that pays is measured first. The call then counts in the tier `probe` too, and an unreachable source is refused. With an `Idempotency-Key`, a repeat of the same body returns the same migration, and another body is refused.",
    body: createSchema,
    idempotent: true,
    answer: {
      status: 201,
      description: "The migration is created. It has started, or its `status` is `awaiting_payment`.",
      schema: createdSchema,
      location: "/api/migrations/{/migration/id}",
    },
    problems: [
      "invalid",
      "url_refused",
      "estimate_refused",
      "source_unreachable",
      "idempotency_key_reused",
      "limit_reached",
      "state_conflict",
      "busy",
    ],
    examples: { request: pairExample, response: createdExample },
    run: async (world, caller, call) => ({ body: await create(world, caller, call.body, call) }),
  }),
  ofTeam({
    id: "listMigrations",
    method: "get",
    path: "/api/migrations",
    summary: "List migrations",
    description: "The migrations of the acting team, newest first, with those that `kubectl` created in its namespace.",
    query: listQuerySchema,
    answer: { status: 200, description: "A page of migrations.", schema: listSchema },
    problems: ["invalid"],
    examples: { response: { data: [listedExample], next_cursor: null } },
    run: async (world, caller, call) => ({ body: await listMigrations(world, caller, call.query) }),
  }),
  ofTeam({
    id: "getMigration",
    method: "get",
    path: "/api/migrations/{id}",
    summary: "Show a migration",
    description: "The current status of the migration, with its last log entries.",
    params,
    answer: { status: 200, description: "The migration.", schema: oneSchema },
    problems: ["not_found", "other_team"],
    examples: { response: oneExample },
    run: async (world, caller, call) => ({ body: await getOne(world, caller, call.params.id) }),
  }),
  ofTeam({
    id: "deleteMigration",
    method: "delete",
    path: "/api/migrations/{id}",
    summary: "Delete a migration",
    description:
      "Irreversible: its URLs, log and report are deleted with it, and a run in progress is stopped (cancel). Tables in the target stay. If the copy was not completed, its table `_rowferry` stays too: [clean the target](not-supported.md#cancel-or-pause-a-migration) before you copy into that database again.",
    params,
    answer: { status: 200, description: "The migration is deleted.", schema: actedSchema },
    problems: ["not_found", "other_team"],
    examples: { response: actedExample("The migration is deleted. The copied tables stay in the target.") },
    async run(world, caller, call) {
      const { remains: _, ...body } = await remove(world, caller, call.params.id);
      return { body };
    },
  }),
];
