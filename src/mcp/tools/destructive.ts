import * as z from "zod";
import { Problem } from "../../requests/errors.ts";
import { previewRemove, type Remains, remove } from "../../requests/migrations/remove.ts";
import { previewReset, priceMessages, resetMigration } from "../../requests/migrations/reset.ts";
import type { SeenState } from "../../requests/migrations/view/precondition.ts";
import type { World } from "../../requests/world.ts";
import { confirmation, effectDigest } from "../confirm.ts";
import { fenced } from "../fence.ts";
import {
  actedSchema,
  againSchema,
  briefly,
  idempotencyKey,
  oneInput,
  startedText,
  summaryOf,
  untrusted,
} from "../shapes.ts";
import { type Tool, type ToolCall, type ToolText, tool } from "../tool.ts";

/** The two tools that cannot be undone: without `confirm` each shows its effect, with the digest of that. */

const previewSchema = z.object({
  stops_run: z.boolean(),
  drops: z
    .number()
    .nullable()
    .describe("Objects that would be dropped from the target; null: their number is known only in the target."),
  irreversible: z.string(),
  digest: z.string(),
});
type Preview = z.output<typeof previewSchema> & { amount?: number };
const effectFields = { done: z.boolean(), next: z.string(), untrusted: untrusted.exactOptional() };
const deleteOutput = actedSchema.extend({ ...effectFields, preview: previewSchema.exactOptional() });
const resetOutput = againSchema.extend({
  ...effectFields,
  preview: previewSchema.extend({ amount: z.number().describe("Price of the next run.") }).exactOptional(),
});

const mostNamed = 40;
/** `total`: how many there are; null: nobody knows. */
function fencedNames(world: World, names: readonly string[], total: number | null): string | null {
  const named = names.slice(0, mostNamed);
  const more = total !== null && total > named.length ? [`and ${total - named.length} more`] : [];
  return fenced([...named, ...more], world.randomBytes(8));
}
const ask = "Tell the user this effect. When they agree, call again with confirm=true and this digest.";
const changed =
  "state_conflict: Not done: the migration's state has changed since that preview, or the digest is of another preview. This is the effect now.";

/** A look at the effect, before or instead of it. */
interface Effect {
  said: ToolText;
  digest: string;
  seen: SeenState;
}

function effectOf(
  message: string,
  { migration, seen }: { migration: Parameters<typeof summaryOf>[0]; seen: SeenState },
  preview: Preview,
  more: { untrusted?: string | null } = {},
): Effect {
  const { irreversible, digest } = preview;
  return {
    digest,
    seen,
    said: {
      text: `${message} ${irreversible} ${ask} digest: ${digest}`,
      data: { message, migration: summaryOf(migration), done: false, preview, next: ask, ...more },
    },
  };
}

const refusedBy = ({ said }: Effect): ToolText => ({
  ...said,
  text: `${changed} ${said.text.replace(/^Nothing was done\. /, "")}`,
  refused: true,
});

/** Shows the effect, refuses where it is not the one that was agreed to, or acts on what was seen and nothing else. */
async function confirmed(
  { confirm, digest }: { confirm: boolean; digest?: string },
  look: () => Promise<Effect>,
  act: (seen?: SeenState) => Promise<ToolText>,
): Promise<ToolText> {
  if (confirm && digest === undefined) return act();
  const effect = await look().catch((error: unknown) => {
    if (confirm && error instanceof Problem && error.code === "idempotency_key_reused") return undefined;
    throw error;
  });
  // A repeat of what was done by its key: the state has changed by that alone, and it acts no second time.
  if (effect === undefined) return act();
  if (!confirm) return effect.said;
  if (effect.digest !== digest) return refusedBy(effect);
  try {
    return await act(effect.seen);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "state_conflict") throw error;
    // Somebody was faster, after this look.
    const now = await look();
    if (now.digest === digest) throw error;
    return refusedBy(now);
  }
}

async function resetEffect(
  world: World,
  { caller }: ToolCall,
  given: { id: string; idempotencyKey?: string },
): Promise<Effect> {
  const { id } = given;
  const { answer, seen, isUntouched } = await previewReset(world, caller, given);
  const { migration, preview } = answer;
  const { stops_run, drops, total, amount, currency } = preview;
  const digest = effectDigest(
    ...["reset", id, migration.status, seen.attempt, seen.reset, stops_run, total, amount, currency],
  );
  const named = drops.map(({ kind, name }) => `would be dropped: ${kind} "${name}"`);
  const irreversible = isUntouched
    ? "Source and target would stay as they are until the copy starts."
    : "Every table and object that the migration made in its target database would be dropped. All rows in these tables would be lost, also rows that users or an application wrote there since the copy. This cannot be undone. Objects that others made would stay; if one depends on a table that would be dropped, the reset fails and drops nothing. The source would stay as it is.";
  const what = isUntouched
    ? "drop nothing, since no run has written to its target"
    : total === null
      ? "drop all objects that it made in its target (the list of them is in its table _rowferry there)"
      : `drop ${total} ${total === 1 ? "object" : "objects"} in its target`;
  const stops = stops_run ? "stop the run in progress, " : "";
  const message = [
    `Nothing was done. A reset of ${id} would ${stops}${what}, and copy again.`,
    ...priceMessages(seen.price),
  ].join(" ");
  return effectOf(
    message,
    { migration, seen },
    { stops_run, drops: total, amount, irreversible, digest },
    { untrusted: fencedNames(world, named, total) },
  );
}

const resetTool = tool({
  name: "reset-migration-tool",
  title: "Reset a migration",
  description:
    "Drops the tables and objects that this migration made in the target, with all present rows. Then runs it again with the same URLs and options. Without confirm it only previews. Use it when a retry cannot help, or to copy again. With `checkout_url` in the answer the user must authorize the payment there first. Next: get-migration-tool.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  tiers: ["ai"],
  input: z.strictObject({ ...oneInput, ...confirmation, ...idempotencyKey }),
  output: resetOutput,
  listedOutput: resetOutput.extend(briefly),
  run(world, call, given) {
    const { id, idempotency_key: key } = given;
    const one = { id, ...(key === undefined ? {} : { idempotencyKey: key }) };
    return confirmed(
      given,
      () => resetEffect(world, call, one),
      async (seen) => {
        const asSeen = seen === undefined ? {} : { seen };
        const answer = await resetMigration(world, call.caller, { ...one, ...asSeen, confirm: true });
        const { migration, preview: _preview, ...acted } = answer;
        const { text, next } = startedText(migration, acted);
        return { text, data: { ...acted, migration: summaryOf(migration), done: true, next } };
      },
    );
  },
});

/** What a migration leaves in its target when it is deleted. */
const left = {
  nothing: "No run has written to the target, which would stay as it is.",
  copy: "The complete copy would stay in the target; a reset could no longer remove it.",
  part: "An incomplete copy would stay in the target, with the table _rowferry, which keeps these tables for this migration. No tool could remove them any more. To remove them first, a reset drops them, but it also runs the copy again.",
};
/** After it. */
const cleaning = {
  nothing: "Nothing is left to do.",
  copy: "Tell the user that the copy stays in the target.",
  part: "Tell the user that the target holds an incomplete copy. To remove it, they drop the tables of the copy and, if no other migration uses that database, the table _rowferry. Or they run `rowferry reset TARGET` on the command line, which lists them. Until then use another database as a target.",
};

const leftBy = ({ isUntouched, isComplete }: Remains): keyof typeof left =>
  isUntouched ? "nothing" : isComplete ? "copy" : "part";

async function deleteEffect(world: World, { caller }: ToolCall, id: string): Promise<Effect> {
  const looked = await previewRemove(world, caller, id);
  const { status } = looked.migration;
  const { attempt, reset } = looked.seen;
  const stops_run = status === "in_progress" || status === "pending";
  const digest = effectDigest("delete", id, status, attempt, reset);
  const { remains } = looked;
  const payment = status === "awaiting_payment" ? " Its checkout link would end, and nothing would be charged." : "";
  const irreversible = `The migration, its stored URLs, log and report would be deleted for good. ${left[leftBy(remains)]}${payment}`;
  const message = `Nothing was done. A delete would remove migration ${id}, which is ${status}${stops_run ? ", and stop its run" : ""}.`;
  return effectOf(
    message,
    looked,
    { stops_run, drops: 0, irreversible, digest },
    { untrusted: remaining(world, remains) },
  );
}

const remaining = (world: World, { tables, total }: Remains): string | null =>
  fencedNames(
    world,
    tables.map((name) => `stays in the target: "${name}"`),
    total,
  );

const deleteTool = tool({
  name: "delete-migration-tool",
  title: "Delete a migration",
  description:
    "Deletes a migration with its URLs, log and report; irreversible. It also cancels a run in progress: the target then keeps an incomplete copy. Nothing is dropped from a database. Without confirm it only previews.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  tiers: ["ai"],
  input: z.strictObject({ ...oneInput, ...confirmation }),
  output: deleteOutput,
  listedOutput: deleteOutput.extend(briefly),
  run(world, call, given) {
    return confirmed(
      given,
      () => deleteEffect(world, call, given.id),
      async (seen) => {
        const { message, migration, remains } = await remove(world, call.caller, given.id, seen);
        const next = cleaning[leftBy(remains)];
        return {
          text: `${message} ${next}`,
          data: {
            ...{ message, migration: summaryOf(migration), done: true, next },
            untrusted: remaining(world, remains),
          },
        };
      },
    );
  },
});

export const destructiveTools: readonly Tool[] = [resetTool, deleteTool];
