import * as z from "zod";
import { createdSchema, idSchema } from "../requests/migrations/view/shapes.ts";

/** What tools of migrations answer: REST's fields, fewer of them, and all text of strangers in one place. */

export const summarySchema = z.object({
  id: z.string(),
  status: z.enum(["awaiting_payment", "pending", "in_progress", "completed", "failed"]),
  type: z.enum(["transfer", "conversion"]).nullable(),
  size: z.number().nullable().describe("Bytes of the source."),
  cost: z.number(),
  amount_due: z.number().nullable().describe("Price that awaits payment."),
  currency: z.string(),
  created_at: z.string(),
});
type Summary = z.output<typeof summarySchema>;

/** Takes its fields out of what REST would show. */
export const summaryOf = (migration: Summary): Summary => summarySchema.parse(migration);

/** Fenced: the fence and the server's instructions say that it is data. */
export const untrusted = z.string().nullable();

export const actedSchema = z.object({ message: z.string(), migration: summarySchema });

/** In a listing: list-migrations-tool has the other fields. */
export const briefly = { migration: z.looseObject({ id: z.string(), status: z.string() }) };

/** What a retry or a reset answers. */
export const againSchema = actedSchema.extend({
  amount: createdSchema.shape.amount,
  checkout_url: z.string().describe("For the user to open, not for you.").exactOptional(),
  next: z.string(),
});

/** For one that awaits payment: the page closes after a day, and nobody keeps the link for the user. */
export const newLink =
  "If the link is lost or has closed, call retry-migration-tool: it returns the open link, or a new one.";

/** After a migration was created or queued again: the next call, and the text of the result, which has `more` before that. */
export function startedText(
  { id, currency }: Pick<Summary, "id" | "currency">,
  { message, amount, checkout_url: link }: { message: string; amount?: number; checkout_url?: string },
  more = "",
): { text: string; next: string } {
  if (link === undefined) {
    const next = `Call get-migration-tool with id ${id} in 15 seconds.`;
    return { text: `${message} ${more}${next}`, next };
  }
  const price = amount === undefined ? "" : `, and the price, ${amount} ${currency}`;
  const next = `Give checkout_url to the user${price}: only they can authorize the payment; do not open the link yourself. The run starts by itself after that. ${newLink} The id of the migration is ${id}.`;
  return { text: `${message} ${more}${next} checkout_url: ${link}`, next };
}

export const preparedSchema = againSchema.extend({
  covered_by_plan: z.boolean().exactOptional(),
  free: z.boolean().exactOptional(),
});

export const oneInput = { id: idSchema };

export const idempotencyKey = {
  idempotency_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, { error: "must be 1 to 255 visible characters of ASCII, such as a UUID" })
    .describe("Any unique text, such as a new UUID: a repeated call with it acts once.")
    .exactOptional(),
};
