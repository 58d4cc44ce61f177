import { z } from "zod";
import { problems } from "../requests/errors.ts";

/** zod's schemas as OpenAPI's components: what has an id (`.meta({ id })`) stands once, and is referred to. */
export type Json = Record<string, unknown>;

export interface Components {
  /** With references to the components. */
  schema(schema: z.ZodType, io: "input" | "output"): Json;
  /** Its own properties on the first level. */
  inline(schema: z.ZodType, io: "input" | "output"): Json;
  all(): { schemas: Json; headers: Json };
}

const problemSchema = z
  .object({
    type: z.url().describe("Leads to the documentation of the code."),
    title: z.string().describe("The code in words."),
    status: z.int().min(400).max(599).describe("The HTTP status."),
    detail: z.string().describe("What went wrong this time, with the mend."),
    code: z.enum(Object.keys(problems) as [string, ...string[]]).describe("Stable: decide by it."),
    request_id: z.string().describe("As in X-Request-Id: name it when you ask for help."),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe("Of input that is not right: one sentence for each field."),
  })
  .meta({ id: "Problem", description: "An error, as RFC 9457 has it." });

export { problemSchema };

const headers: Json = {
  RequestId: { description: "The request's id, yours if you sent one.", schema: { type: "string" } },
  RateLimit: {
    description: 'What is left in each window and the seconds until it ends: `"read";r=299;t=60`.',
    schema: { type: "string" },
  },
  RateLimitPolicy: {
    description: 'Each window that this call counts in: `"read";q=300;w=60`.',
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds to wait; then the next call passes.",
    schema: { type: "integer", minimum: 1 },
  },
  ETag: { description: "Of these very bytes.", schema: { type: "string" } },
};

/** What a stranger sends has no other fields than those that are named. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const found = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  return found["type"] === "object" && "properties" in found && !("additionalProperties" in found)
    ? { ...found, additionalProperties: false }
    : found;
}

/** The bounds of JavaScript's integers say nothing to a reader. */
function withoutSafeBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSafeBounds);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(
        ([name, value]) => !(/^(minimum|maximum)$/.test(name) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER),
      )
      .map(([name, value]) => [name, withoutSafeBounds(value)]),
  );
}

const renamed = (node: unknown, names: ReadonlyMap<string, string>): unknown =>
  JSON.parse(JSON.stringify(node), (key: string, value: unknown) =>
    key === "$ref" && typeof value === "string"
      ? value.replace(/^#\/\$defs\/(.+)$/, (_all, name: string) => `#/components/schemas/${names.get(name) ?? name}`)
      : value,
  );

export function createComponents(): Components {
  const schemas: Record<string, unknown> = {};

  function schema(of: z.ZodType, io: "input" | "output"): Json {
    const made = z.toJSONSchema(of, { io, unrepresentable: "any" });
    const {
      $schema: _dialect,
      $defs = {},
      ...root
    } = withoutSafeBounds(io === "input" ? closed(made) : made) as Json & {
      $defs?: Json;
    };
    // A schema with defaults or transforms is not the same on its way in.
    const names = new Map(Object.keys($defs).map((name) => [name, name]));
    for (const [name, value] of Object.entries($defs)) {
      const known = schemas[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(renamed(value, names)))
        names.set(name, `${name}${io === "input" ? "Input" : "Output"}`);
    }
    for (const [name, value] of Object.entries($defs)) schemas[names.get(name) ?? name] = renamed(value, names);
    return renamed(root, names) as Json;
  }

  return {
    schema,
    inline(of, io) {
      const made = schema(of, io);
      const name = typeof made["$ref"] === "string" ? made["$ref"].split("/").at(-1) : undefined;
      return name === undefined ? made : (schemas[name] as Json);
    },
    all: () => ({ schemas, headers }),
  };
}
