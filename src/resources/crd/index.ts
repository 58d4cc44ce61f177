import * as z from "zod";
import { accountSpecSchema, accountStatusSchema } from "../account.ts";
import { accountLogSpecSchema } from "../account-log.ts";
import { restoreRules, restoreSpecSchema, restoreStatusSchema } from "../backup/restore.ts";
import { runRules, runSpecSchema, runStatusSchema } from "../backup/run.ts";
import { scheduleRules, scheduleSpecSchema, scheduleStatusSchema } from "../backup/schedule.ts";
import { group, version } from "../group.ts";
import { migrationRules, migrationSpecSchema, migrationStatusSchema } from "../migration.ts";
import { teamRules, teamSpecSchema, teamStatusSchema } from "../team.ts";
import { tokenSpecSchema, tokenStatusSchema } from "../token.ts";

/** The CustomResourceDefinitions, made from the zod schemas; `crds/` holds them as YAML. */

type Schema = { [key: string]: unknown };

/**
 * A structural schema from what zod says. zod's own bounds of safe integers and its patterns of dates are left out: the API
 * server has formats for both, and a pattern of 700 characters in each time helps nobody. Where a rule says the fix in
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

interface KindOfCrd {
  kind: string;
  shortNames?: string[];
  /** A cluster-wide one is not listed with all that is Rowferry's. */
  scope: "Namespaced" | "Cluster";
  description: string;
  spec: z.ZodType;
  status?: z.ZodType;
  said: { spec: string; status?: string };
  columns: Schema[];
  selectable?: string[];
  rules?: unknown[];
}

const pluralOf = ({ kind }: Pick<KindOfCrd, "kind">): string => `${kind.toLowerCase()}s`;

function crdOf(of: KindOfCrd): Schema {
  const singular = of.kind.toLowerCase();
  const plural = pluralOf(of);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: of.scope,
      names: {
        kind: of.kind,
        listKind: `${of.kind}List`,
        plural,
        singular,
        shortNames: of.shortNames ?? [],
        ...(of.scope === "Namespaced" ? { categories: [group.split(".")[0]] } : {}),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(of.status ? { subresources: { status: {} } } : {}),
          ...(of.selectable ? { selectableFields: of.selectable.map((jsonPath) => ({ jsonPath })) } : {}),
          additionalPrinterColumns: of.columns,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: of.description,
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: { ...schemaOf(of.spec), description: of.said.spec },
                ...(of.status ? { status: { ...schemaOf(of.status), description: of.said.status } } : {}),
              },
              ...(of.rules ? { "x-kubernetes-validations": of.rules } : {}),
            },
          },
        },
      ],
    },
  };
}

const column = (name: string, jsonPath: string, type = "string"): Schema => ({ name, type, jsonPath });
const age = column("Age", ".metadata.creationTimestamp", "date");

const condition = (type: string, what: "reason" | "status" = "reason") =>
  `.status.conditions[?(@.type=="${type}")].${what}`;
const why = (type: string, description: string): Schema => ({
  ...column("Reason", condition(type)),
  priority: 1,
  description,
});

const whyOfJob = why("Ready", "Why it is in its state: of a failed one the error's code.");

/** Every kind that something reconciles or reads. */
const kinds: readonly KindOfCrd[] = [
  {
    kind: "Migration",
    shortNames: ["mig"],
    scope: "Namespaced",
    description:
      "One copy of a database, MySQL or PostgreSQL, from a source to a target, with its schema and data, verified.",
    spec: migrationSpecSchema,
    status: migrationStatusSchema,
    said: { spec: "The databases and options of the copy.", status: "How it goes; written by the operator." },
    selectable: [".status.state"],
    columns: [
      column("State", ".status.state"),
      column("Type", ".status.type"),
      column("Size", ".status.columns.size"),
      column("Progress", ".status.columns.progress"),
      column("ETA", ".status.columns.eta"),
      age,
      whyOfJob,
      { ...column("Payment", ".status.payment.state"), priority: 1, description: "State of the payment." },
    ],
    rules: migrationRules,
  },
  {
    kind: "Team",
    scope: "Cluster",
    description: "People who share Migrations, in a namespace of their own.",
    spec: teamSpecSchema,
    status: teamStatusSchema,
    said: { spec: "Members and invitations of the team.", status: "Its namespace; written by the operator." },
    columns: [
      column("Title", ".spec.title"),
      column("Namespace", ".status.namespace"),
      column("Ready", condition("Ready")),
      age,
    ],
    rules: teamRules,
  },
  {
    kind: "Account",
    scope: "Cluster",
    description: "A person who uses the API; named by a hash of the e-mail address.",
    spec: accountSpecSchema,
    status: accountStatusSchema,
    said: { spec: "The person of the account.", status: "Its subscription; written by the operator." },
    columns: [
      column("Email", ".spec.email"),
      column("Plan", ".spec.plan"),
      column("Subscription", ".status.billing.state"),
      age,
    ],
  },
  {
    kind: "AccountLog",
    scope: "Cluster",
    description: "The last changes that an account made by the API; named as the Account.",
    spec: accountLogSpecSchema,
    said: { spec: "Events of the account; written by the API." },
    columns: [age],
  },
  {
    kind: "ApiToken",
    scope: "Cluster",
    description: "A token of the API, kept as a hash; deleting it revokes it.",
    spec: tokenSpecSchema,
    status: tokenStatusSchema,
    said: { spec: "Whose it is.", status: "Its use; written by the API." },
    columns: [
      column("Title", ".spec.title"),
      column("Account", ".spec.account"),
      column("Last used", ".status.lastUsedAt"),
      age,
    ],
  },
  {
    kind: "BackupSchedule",
    shortNames: ["bs"],
    scope: "Namespaced",
    description: "Backs up one database at fixed times, keeps some of the backups, and verifies them by restoring.",
    spec: scheduleSpecSchema,
    status: scheduleStatusSchema,
    said: { spec: "The database, times and storage of the backups.", status: "Its runs; written by the operator." },
    columns: [
      column("Interval", ".spec.interval"),
      column("Cron", ".spec.cron"),
      column("Suspend", ".spec.suspend", "boolean"),
      column("Last completed", ".status.lastCompletedRun.slot", "date"),
      column("Next", ".status.nextRunAt"),
      column("Ready", condition("Ready", "status")),
      column("Verified", condition("Verified", "status")),
      age,
      why("Ready", "Why it is ready, or not."),
    ],
    rules: scheduleRules,
  },
  {
    kind: "BackupRun",
    shortNames: ["br"],
    scope: "Namespaced",
    description: "One backup of a database. Deleting it removes its parts from the storage.",
    spec: runSpecSchema,
    status: runStatusSchema,
    said: { spec: "The backup to make.", status: "Its state; written by the operator." },
    selectable: [".spec.schedule", ".status.state"],
    columns: [
      column("Schedule", ".spec.schedule"),
      column("State", ".status.state"),
      column("Size", ".status.columns.size"),
      column("Progress", ".status.columns.progress"),
      column("Verified", condition("Verified", "status")),
      age,
      whyOfJob,
    ],
    rules: runRules,
  },
  {
    kind: "Restore",
    scope: "Namespaced",
    description: "Writes a completed BackupRun into a database, or verifies it in a throw-away one.",
    spec: restoreSpecSchema,
    status: restoreStatusSchema,
    said: { spec: "The backup to restore, and the target.", status: "Its state; written by the operator." },
    selectable: [".spec.backupRun", ".status.state"],
    columns: [
      column("Backup", ".spec.backupRun"),
      column("State", ".status.state"),
      column("Progress", ".status.columns.progress"),
      column("Verification", ".spec.verification", "boolean"),
      age,
      whyOfJob,
    ],
    rules: restoreRules,
  },
];

/** Objects for the API server, by the file's name in `crds/`. */
export const crds: Record<string, () => Schema> = Object.fromEntries(
  kinds.map((kind) => [`${pluralOf(kind)}.${group}.yaml`, () => crdOf(kind)]),
);
