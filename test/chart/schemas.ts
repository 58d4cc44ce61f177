import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * JSON schemas for kubeconform, made from what an API server says of itself (`/openapi/v2`), since the usual ones are
 * downloaded. Strict: a field that the API does not know is an error.
 */
interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  [key: string]: unknown;
}

/** Writes one file for each of the kinds, with everything it refers to, and returns kubeconform's `-schema-location`. */
export function writeSchemas(openapi: { definitions: Record<string, Schema> }, kinds: Set<string>, folder: string) {
  mkdirSync(folder, { recursive: true });
  const definitions = strict(openapi.definitions) as Record<string, Schema>;
  for (const [name, schema] of Object.entries(openapi.definitions)) {
    for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? []) {
      if (!kinds.has(kind)) continue;
      // kubeconform's KindSuffix: the group's first label and the version.
      const file = [kind.toLowerCase(), ...(group === "" ? [] : [group.split(".", 1)[0]]), version].join("-");
      writeFileSync(join(folder, `${file}.json`), JSON.stringify({ $ref: `#/definitions/${name}`, definitions }));
    }
  }
  return join(folder, "{{.ResourceKind}}{{.KindSuffix}}.json");
}

function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== "object" || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strict(inner)])) as Schema;
  if (schema.format === "int-or-string") return { oneOf: [{ type: "string" }, { type: "integer" }] };
  const open = schema.additionalProperties !== undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return schema.type === "object" && schema.properties !== undefined && !open
    ? { ...schema, additionalProperties: false }
    : schema;
}
