import { z } from "zod";
import { group, version } from "./group.ts";
import { migrationRules, migrationSpecSchema, migrationStatusSchema } from "./migration.ts";

/** The CustomResourceDefinitions, made from the zod schemas; `crds/` holds them as YAML. */

type Schema = { [key: string]: unknown };

/**
 * A structural schema from what zod says. zod's own bounds of safe integers and its patterns of dates are left out: the API
 * server has formats for both, and a pattern of 700 characters in each time helps nobody. Where a rule says the mend in
 * words, the pattern that it stands for would only say it once more, as a pattern.
 */
function structural(schema: Schema): Schema {
  const next: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "pattern" && (schema.format === "date-time" || schema["x-kubernetes-validations"] !== undefined))
      continue;
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue;
    if (key === "additionalProperties" && value === false) continue;
    next[key] = nested(key, value);
  }
  if (next.type === "integer") next.format = "int64";
  return next;
}

function nested(key: string, value: unknown): unknown {
  if (key === "properties")
    return Object.fromEntries(Object.entries(value as Schema).map(([name, one]) => [name, structural(one as Schema)]));
  if (key === "items" || key === "additionalProperties")
    return typeof value === "object" ? structural(value as Schema) : value;
  return value;
}

function schemaOf(schema: z.ZodType): Schema {
  return structural(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input" }) as Schema);
}

/** `migrations.rowferry.dev` as an object for the API server. */
export function migrationCrd(): Schema {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `migrations.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind: "Migration",
        listKind: "MigrationList",
        plural: "migrations",
        singular: "migration",
        shortNames: ["mig"],
        categories: [group.split(".")[0]],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          selectableFields: [{ jsonPath: ".status.state" }],
          additionalPrinterColumns: [
            { name: "State", type: "string", jsonPath: ".status.state" },
            { name: "Type", type: "string", jsonPath: ".status.type" },
            { name: "Size", type: "string", jsonPath: ".status.columns.size" },
            { name: "Progress", type: "string", jsonPath: ".status.columns.progress" },
            { name: "ETA", type: "string", jsonPath: ".status.columns.eta" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
            {
              name: "Reason",
              type: "string",
              jsonPath: '.status.conditions[?(@.type=="Running")].reason',
              priority: 1,
              description: "Why it runs, or why it does not.",
            },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description:
                "One copy of a database, MySQL or PostgreSQL, from a source to a target, with its schema and data, verified.",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: { ...schemaOf(migrationSpecSchema), description: "What to copy, and where to." },
                status: { ...schemaOf(migrationStatusSchema), description: "How it goes; written by the operator." },
              },
              "x-kubernetes-validations": migrationRules,
            },
          },
        },
      ],
    },
  };
}

/** Every kind that something reconciles, by the file's name in `crds/`. */
export const crds: Record<string, () => Schema> = { [`migrations.${group}.yaml`]: migrationCrd };
