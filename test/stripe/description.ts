import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

/**
 * Stripe's own description of its API (OpenAPI 3.0), and answers held against it. It is the one that stripe-mock has in
 * its program, so that both are of one version wherever the program comes from.
 */
export interface Description {
  /** Of the API, such as `2026-08-26.dahlia`. */
  version: string;
  /** What is wrong with an answer to a request; empty if nothing is. */
  answer(method: string, path: string, status: number, body: unknown): string[];
  /** What is wrong with an object, by its field `object`. */
  thing(value: unknown): string[];
}

type Schema = { [keyword: string]: unknown };

interface OpenApi {
  info: { version: string };
  paths: Record<string, Record<string, { responses: Record<string, { content: Record<string, { schema: Schema }> }> }>>;
  components: { schemas: Record<string, Schema> };
}

/** The description that is in the program of stripe-mock. The other one in there is of Stripe's previews. */
export const readDescription = (program: string): Description => {
  const binary = readFileSync(program);
  const start = binary.indexOf('{\n  "components": {');
  if (start < 0) throw new Error(`${program} holds no description of Stripe's API`);
  const api = JSON.parse(binary.subarray(start, endOfJson(binary, start)).toString("utf8")) as OpenApi;
  return describe(api);
};

/** Fields that can be null, and that Stripe leaves out unless they are expanded. */
const onRequest = [["charge", "refunds"]] as const;

const quote = 0x22;
const backslash = 0x5c;
const [open, close] = [0x7b, 0x7d];

/** Where the object that begins at `start` ends. */
const endOfJson = (bytes: Buffer, start: number): number => {
  let depth = 0;
  let inText = false;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === open) depth += 1;
    else if (byte === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new Error("The description of Stripe's API is cut off");
};

const describe = (api: OpenApi): Description => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, inlineRefs: false });
  const schemas = Object.fromEntries(
    Object.entries(api.components.schemas).map(([name, schema]) => [name, strict(schema)]),
  );
  for (const [object, field] of onRequest) {
    const required = schemas[object]?.["required"] as string[];
    Object.assign(schemas[object] ?? {}, { required: required.filter((name) => name !== field) });
  }
  ajv.addSchema({ $id: "stripe", components: { schemas } });
  const compiled = new Map<string, ValidateFunction>();
  const problems = (name: string, schema: Schema, value: unknown): string[] => {
    const validate = compiled.get(name) ?? ajv.compile(schema);
    compiled.set(name, validate);
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    // A field that may be an id, an object or null has an error for each: the ones inside the object say more.
    const telling = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "type");
    return (telling.length > 0 ? telling : errors).map(
      ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  };
  return {
    version: api.info.version,
    answer(method, path, status, body) {
      if (status >= 400) return problems("error", { $ref: "stripe#/components/schemas/error" }, body);
      const template = Object.keys(api.paths).find((one) => pattern(one).test(path));
      const schema =
        api.paths[template ?? ""]?.[method.toLowerCase()]?.responses["200"]?.content["application/json"]?.schema;
      if (schema === undefined) return [`${method} ${path} is not an operation of Stripe's API`];
      return problems(`${method} ${template}`, strict(schema), body);
    },
    thing(value) {
      const name = (value as { object: string }).object;
      return problems(name, { $ref: `stripe#/components/schemas/${name}` }, value);
    },
  };
};

const pattern = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/**
 * A schema of OpenAPI 3.0 as JSON Schema, and stricter: no unknown fields, and every field that can be null is there,
 * since Stripe leaves out only fields that cannot.
 */
const strict = (value: Schema): Schema => {
  const { nullable, properties, required, ...rest } = value;
  const result: Schema = {};
  for (const [keyword, inner] of Object.entries(rest)) {
    if (keyword.startsWith("x-") || keyword === "description") continue;
    result[keyword] = deep(keyword, inner);
  }
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Schema>);
    result["properties"] = Object.fromEntries(fields.map(([name, schema]) => [name, strict(schema)]));
    const present = fields.filter(([, schema]) => schema["nullable"] === true).map(([name]) => name);
    result["required"] = [...new Set([...((required as string[] | undefined) ?? []), ...present])];
    result["additionalProperties"] ??= false;
  }
  return nullable === true ? { anyOf: [result, { type: "null" }] } : result;
};

const deep = (keyword: string, inner: unknown): unknown => {
  if (keyword === "$ref") return `stripe${String(inner)}`;
  if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") return (inner as Schema[]).map(strict);
  if (keyword === "items" || (keyword === "additionalProperties" && typeof inner === "object"))
    return strict(inner as Schema);
  return inner;
};
