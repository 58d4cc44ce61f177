import * as z from "zod";
import type { Migration } from "../../../resources/migration.ts";
import { asJson } from "../../as-json.ts";
import { marks } from "../view/marks.ts";
import type { ReadQuote } from "./estimate-token.ts";

/** The quote that a Migration was created with, as an annotation of it: a run is tied to the estimate that its caller was shown. */

const markSchema = z.object({
  size: z.int().min(0),
  amount: z.number().min(0),
  currency: z.string(),
  free: z.boolean(),
});

export const quoteMark = ({ size, amount, currency, free }: ReadQuote): Record<string, string> => ({
  [marks.quote]: JSON.stringify({ size, amount, currency, free }),
});

/** Bytes of the source as they were measured for the quote; undefined without one, or where `kubectl` wrote what is none. */
export function quotedSize({ metadata }: Pick<Migration, "metadata">): number | undefined {
  const text = metadata.annotations?.[marks.quote];
  return text === undefined ? undefined : markSchema.safeParse(asJson(text)).data?.size;
}
