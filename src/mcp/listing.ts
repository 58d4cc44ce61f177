import * as z from "zod";
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

/** From here on a bound is only for the check: nobody comes near it. */
const far = 50_000;
const isBound = (key: string, value: unknown): boolean =>
  (key === "maximum" || key === "minimum") && Math.abs(Number(value)) >= far;

/** `depth`: how many objects it is in, below the whole. */
function trimmed(value: unknown, depth = 0, named = false): unknown {
  if (Array.isArray(value)) return value.map((one) => trimmed(one, depth));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    // Names of fields are kept, whatever they are.
    .filter(([key, inner]) => named || !(dropped(key) || isBound(key, inner)))
    .map(([key, inner]): [string, unknown] => {
      if (!named && key === "description" && depth > 1) return [key, firstSentence(String(inner))];
      const isFields = !named && key === "properties";
      return [key, trimmed(inner, isFields ? depth + 1 : depth, isFields)];
    });
  return Object.fromEntries(entries);
}

/** Of fields of fields, such as options, the documentation tells more. */
const firstSentence = (text: string): string => /^.*?\.(?= [A-Z`])/s.exec(text)?.[0] ?? text;

const schemaOf = (schema: z.ZodObject, io: "input" | "output"): { type: "object" } & Json => ({
  ...(trimmed(z.toJSONSchema(schema, { io })) as Json),
  type: "object",
});

/**
 * An answer's fields are told by its values: which of them are always there is not listed. Nested ones are not closed, so that one more is no
 * other shape.
 */
function open(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map((one) => open(one));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => named || !(key === "additionalProperties" || key === "required"))
    .map(([key, inner]): [string, unknown] => [key, open(inner, !named && key === "properties")]);
  return nullable(Object.fromEntries(entries));
}

/** `anyOf` of one type and null, in short. */
function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one, other] = anyOf as Record<string, unknown>[];
  if (other?.["type"] !== "null" || typeof one?.["type"] !== "string") return schema;
  const values = Array.isArray(one["enum"]) ? { enum: [...one["enum"], null] } : {};
  return { ...one, ...rest, ...values, type: [one["type"], "null"] };
}

export const listing = ({ name, title, description, annotations, input, listedInput, output, listedOutput }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf((listedInput ?? input).strict(), "input"),
  outputSchema: open(schemaOf(listedOutput ?? output, "output")) as { type: "object" } & Json,
  annotations,
});
