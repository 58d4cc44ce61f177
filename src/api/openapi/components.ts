import * as z from "zod";
import { Problem, type ProblemCode, problems } from "../../requests/errors.ts";
import { problemDocument } from "../problem.ts";
import { schemaNames } from "./names.ts";

/** zod's schemas as OpenAPI's components: what has a name stands once, and is referred to. */
export type Json = Record<string, unknown>;

export interface Components {
  /** With references to the components; `name`: of the whole, where it has none. */
  schema(schema: z.ZodType, io: "input" | "output", name?: string): Json;
  /** Its own properties on the first level. */
  inline(schema: z.ZodType, io: "input" | "output"): Json;
  /** A reference to the example of an error. */
  example(code: ProblemCode): Json;
  /** `base`: of the documentation. */
  all(base: string): { schemas: Json; headers: Json; examples: Json };
}

export const problemSchema = z
  .object({
    type: z.url().describe("URL of the code's documentation."),
    title: z.string().describe("The code in words."),
    status: z.int().min(400).max(599).describe("The HTTP status."),
    detail: z.string().describe("The cause of this error, with the fix."),
    code: z.enum(Object.keys(problems) as [string, ...string[]]).describe("The stable code. Base decisions on it."),
    request_id: z.string().describe("The value of `X-Request-Id`. Include it when you ask for help."),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe("Each invalid field, with the fix."),
  })
  .describe("An error, as RFC 9457 has it.");

const headers: Json = {
  RequestId: { description: "The request's id, yours if you sent one.", schema: { type: "string" } },
  RateLimit: {
    description: 'Remaining calls of each window, and the seconds until it ends: `"read";r=299;t=60`.',
    schema: { type: "string" },
  },
  RateLimitPolicy: {
    description: 'Each window that this call counts in: `"read";q=300;w=60`.',
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds to wait before the next call.",
    schema: { type: "integer", minimum: 1 },
  },
  ETag: { description: "Identifies exactly these bytes.", schema: { type: "string" } },
  Redirect: { description: "Where the browser continues.", schema: { type: "string", format: "uri" } },
  Location: {
    description: "Path of the created resource; of a team, the path of its members.",
    schema: { type: "string", format: "uri-reference" },
  },
};

/** A copy of a JSON value with each of its objects as `change` makes it anew, the inner ones first. */
function mapObjects(node: unknown, change: (object: Json) => unknown): unknown {
  if (Array.isArray(node)) return node.map((entry) => mapObjects(entry, change));
  if (!isObject(node)) return node;
  return change(Object.fromEntries(Object.entries(node).map(([name, value]) => [name, mapObjects(value, change)])));
}

const without = (node: unknown, drops: (name: string, value: unknown) => boolean): unknown =>
  mapObjects(node, (object) =>
    Object.fromEntries(Object.entries(object).filter(([name, value]) => !drops(name, value))),
  );

/** What a stranger sends has no other fields than those that are named. */
const closed = (node: unknown): unknown =>
  mapObjects(node, (object) =>
    object["type"] === "object" && "properties" in object && !("additionalProperties" in object)
      ? { ...object, additionalProperties: false }
      : object,
  );

/** An answer may get more fields later: a client must not refuse them. */
const opened = (node: unknown): unknown =>
  without(node, (name, value) => name === "additionalProperties" && value === false);

/** The bounds of JavaScript's integers say nothing to a reader. */
const isSafeBound = (name: string, value: unknown): boolean =>
  /^(minimum|maximum)$/.test(name) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

const isObject = (node: unknown): node is Json => typeof node === "object" && node !== null && !Array.isArray(node);

/** Says Kubernetes' API server more than a reader of this document. */
const foreign = /^(\$schema|x-kubernetes-.*)$/;
/** Where a schema with a name begins, until it is moved among the components. */
const mark = "x-component";

export function createComponents(): Components {
  const schemas: Record<string, Json> = {};
  const shownCodes = new Set<ProblemCode>();

  /** Puts it among the components, where it stands once, and answers the reference; a description of its own stays beside. */
  function refer(name: string, found: Json, io: "input" | "output"): Json {
    const { description: own, ...rest } = found;
    for (const candidate of [name, `${name}${io === "input" ? "Input" : "Output"}`]) {
      const known = schemas[candidate] ?? found;
      schemas[candidate] = known;
      const { description: its, ...same } = known;
      if (JSON.stringify(same) !== JSON.stringify(rest)) continue;
      const $ref = `#/components/schemas/${candidate}`;
      return own === its || own === undefined ? { $ref } : { $ref, description: own };
    }
    return found;
  }

  const hoist = (node: unknown, io: "input" | "output"): unknown =>
    mapObjects(node, ({ [mark]: name, ...found }) => (typeof name === "string" ? refer(name, found, io) : found));

  /** By what was asked for: errors have one schema in each of some hundred answers. */
  const known = new Map<z.ZodType, Map<string, Json>>();
  function schema(of: z.ZodType, io: "input" | "output", name = ""): Json {
    const own = known.get(of) ?? new Map<string, Json>();
    known.set(of, own);
    const asked = `${io} ${name}`;
    const found = own.get(asked) ?? make(of, io, name);
    own.set(asked, found);
    return found;
  }

  function make(of: z.ZodType, io: "input" | "output", name: string): Json {
    const made = z.toJSONSchema(of, {
      io,
      unrepresentable: "any",
      override({ zodSchema, jsonSchema }) {
        const known = schemaNames.get(zodSchema);
        if (known !== undefined) jsonSchema[mark] = known;
      },
    });
    const own = name === "" || made[mark] !== undefined ? made : { ...made, [mark]: name };
    const shown = without(
      io === "input" ? closed(own) : opened(own),
      (name, value) => foreign.test(name) || isSafeBound(name, value),
    );
    return hoist(shown, io) as Json;
  }

  return {
    schema,
    inline(of, io) {
      const made = schema(of, io);
      const name = typeof made["$ref"] === "string" ? made["$ref"].split("/").at(-1) : undefined;
      return name === undefined ? made : (schemas[name] ?? made);
    },
    example(code) {
      shownCodes.add(code);
      return { $ref: `#/components/examples/${code}` };
    },
    all: (base) => ({
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers,
      examples: problemExamples([...shownCodes].sort(), base),
    }),
  };
}

const problemExamples = (codes: ProblemCode[], base: string): Json =>
  Object.fromEntries(
    codes.map((code) => {
      const errors = code === "invalid" ? { errors: [{ field: "source_url", message: "is required (string)" }] } : {};
      const problem = new Problem(code, `${problems[code].title}.`, errors);
      return [
        code,
        {
          summary: problems[code].title,
          value: problemDocument(problem, "7b6d3f0e-0f3b-4a51-9d0b-2f1c5f1f7a10", base),
        },
      ];
    }),
  );
