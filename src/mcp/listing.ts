import { z } from "zod";
import type { Tool } from "./tool.ts";

/**
 * A tool as `tools/list` shows it. A model pays for each character: what only the check needs (lengths of texts, Kubernetes' marks) is
 * left out; the check itself is by the whole schema.
 */
type Json = Record<string, unknown>;

const dropped = (key: string): boolean =>
  key.startsWith("x-kubernetes-") ||
  ["$schema", "minLength", "maxLength", "maxItems", "maxProperties", "propertyNames", "pattern", "format"].includes(
    key,
  );

/** `safe` whole numbers have bounds that say nothing. */
const isBound = (key: string, value: unknown): boolean =>
  (key === "maximum" || key === "minimum") && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;

function trimmed(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map((one) => trimmed(one));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    // Names of fields are kept, whatever they are.
    .filter(([key, inner]) => named || !(dropped(key) || isBound(key, inner)))
    .map(([key, inner]): [string, unknown] => [key, trimmed(inner, !named && key === "properties")]);
  return Object.fromEntries(entries);
}

const schemaOf = (schema: z.ZodObject, io: "input" | "output"): { type: "object" } & Json => ({
  ...(trimmed(z.toJSONSchema(schema, { io })) as Json),
  type: "object",
});

/** An answer's fields are told by its values; nested ones are not closed, so that one more is no other shape. */
function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === "additionalProperties" && inner === false))
      .map(([key, inner]) => [key, open(inner)]),
  );
}

export const listing = ({ name, title, description, annotations, input, listedInput, output }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf((listedInput ?? input).strict(), "input"),
  outputSchema: open(schemaOf(output, "output")) as { type: "object" } & Json,
  annotations,
});
