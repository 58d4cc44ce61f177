import * as z from "zod";
import { type RestoreCall, restoreRun } from "../../requests/backups/restore.ts";
import { backupIdSchema, type RestoreResponse, restoreSchema, runIdSchema } from "../../requests/backups/shapes.ts";
import { type SeenTarget, TargetNotEmpty } from "../../requests/backups/target.ts";
import { confirmation, effectDigest } from "../confirm.ts";
import { refusePlaceholders } from "../placeholders.ts";
import { idempotencyKey } from "../shapes.ts";
import { type ToolText, tool } from "../tool.ts";
import { queuedSchema } from "./backup-shapes.ts";

/** Restores a run. Into a database that is not empty it needs `confirm`; without, it shows what it would do there. */

const { allow_not_empty: _by_confirm, target_url, ...others } = restoreSchema.shape;
const input = z.strictObject({
  id: backupIdSchema,
  run: runIdSchema.describe("A completed run of the schedule."),
  ...others,
  target_url: target_url.meta({
    description: "Connection URL of the database to restore into, as the user gave it; never invent one.",
    examples: ["postgres://user:password@host:5432/db"],
  }),
  ...confirmation,
  ...idempotencyKey,
});

const output = z.object({
  message: z.string(),
  done: z.boolean(),
  restore: queuedSchema.exactOptional(),
  preview: z
    .object({
      objects: z.number().describe("Tables, views and sequences in the target."),
      converts: z.boolean(),
      own_database: z.boolean().describe("The target is the database that the schedule backs up."),
      digest: z.string(),
    })
    .exactOptional(),
  next: z.string(),
});

const digestFor = (
  { id, run }: Pick<RestoreCall, "id" | "run">,
  { digest, engine, objects, own }: SeenTarget,
): string => effectDigest("restore", id, run, digest, engine, objects, own);

const agree = "Tell the user this effect. When they agree, call again with confirm=true and this digest.";

function preview(call: Pick<RestoreCall, "id" | "run">, seen: SeenTarget, refused: boolean): ToolText {
  const { engine, objects, own, converts } = seen;
  const digest = digestFor(call, seen);
  const which = own ? ", the one that this schedule backs up" : "";
  const message = [
    refused ? "Not done: the target has changed since that preview. This is the effect now." : "Nothing was done.",
    `The run ${call.run} would be restored into a ${engine} database that is not empty${which}: it has ${objects} tables, views and sequences.`,
    ...(converts ? [`The backup is of another engine: it would be converted to ${engine}.`] : []),
    "They would stay as they are, and the restore would fail where one has the name of a restored object.",
  ].join(" ");
  return {
    text: `${message} ${agree} digest: ${digest}`,
    data: { message, done: false, preview: { objects, converts, own_database: own, digest }, next: agree },
    ...(refused ? { refused: true } : {}),
  };
}

function done(id: string, { restore }: RestoreResponse): ToolText {
  const how = restore.convert ? ", and converts the backup for the target's engine" : "";
  const message = `The restore ${restore.id} is queued${how}. It is free of charge.`;
  const next = `Call list-backup-runs-tool with id ${id} and run ${restore.run} in 15 seconds, until this restore is completed or failed.`;
  return {
    text: `${message} ${next}`,
    data: { message, done: true, restore: { id: restore.id, status: restore.status }, next },
  };
}

export const restoreTool = tool({
  name: "restore-backup-tool",
  title: "Restore a backup",
  description:
    "Restores a completed run into a target database on any host, free of charge, converted if the engines differ. Into an empty one it starts at once; otherwise it only previews until confirm. Use it only after the user named the target and agreed that it is written to.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  tiers: ["read"],
  input,
  output,
  async run(world, { caller, asked }, { id, run, confirm, digest, idempotency_key: key, ...target }) {
    refusePlaceholders({ target_url: target.target_url });
    const call: RestoreCall = {
      id,
      run,
      asked,
      input: { ...target, allow_not_empty: confirm },
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...(confirm && digest !== undefined ? { agreed: (seen) => digestFor({ id, run }, seen) === digest } : {}),
    };
    try {
      return done(id, await restoreRun(world, caller, call));
    } catch (error) {
      if (!(error instanceof TargetNotEmpty)) throw error;
      return preview({ id, run }, error.seen, confirm);
    }
  },
});
