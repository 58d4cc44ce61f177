import * as z from "zod";
import { boundedAssessmentSchema } from "../resources/assessment.ts";
import { backupProgressSchema } from "../resources/backup/status.ts";
import { progressSchema } from "../resources/migration.ts";
import { optionsSchema } from "../resources/options.ts";
import { tlsModes } from "../resources/tls-mode.ts";

/**
 * What worker and operator say to each other: JSON over TLS (the operator's own CA), every request with
 * `Authorization: Bearer <service-account token bound to audience>`.
 *
 * POST /work     {}      → Work                       409: this pod is not the current run's
 * POST /progress Report  → {}                         409: stop, the run is over or another's
 * POST /result   Outcome → {} once it is stored       409: likewise
 */
export const audience = "rowferry-operator";

/**
 * Each request has its version in a header; those of version 1 have none. During an upgrade the operator meets workers of the version before,
 * whose requests it takes, and workers that meet an operator of the version before try again until the new one answers. Raise
 * `version` with every change by which either side understands another message than before, and keep the last version's messages in
 * test/worker/protocol-<version>.json.
 */
export const protocol = { header: "rowferry-protocol", version: 2, oldest: 1 } as const;

/** The installation's own part of the guard's policy (src/guard). */
const guardSchema = z.object({
  allow: z.array(z.string()),
  refuse: z.array(z.string()),
  /** The lowest `sslmode`. */
  minTls: z.enum(tlsModes).exactOptional(),
});

const locationSchema = z.union([
  /** The URL itself, opened from a sealed one; never stored in the clear. It is a stranger's, so that the guard judges where it leads. */
  z.object({ url: z.string(), guard: guardSchema }),
  /** Mounted from the Secret that a platform team named: a folder with `url` and perhaps `ca.crt`. Without `guard` it may lead anywhere. */
  z.object({ folder: z.string(), guard: guardSchema.optional() }),
]);

const madeSchema = z.object({ kind: z.string(), name: z.array(z.string()), id: z.string().optional() });

export const placeSchema = z.object({ address: z.string().optional(), identity: z.string().optional() });

const workSchema = z.object({
  owner: z.string(),
  ownerName: z.string(),
  run: z.int(),
  /** Whether a pod of this run has reached both databases before. */
  reached: z.boolean(),
  reset: z.boolean(),
  made: z.array(madeSchema),
  /** Where that was made, from the same report. */
  madeIn: placeSchema.optional(),
  source: locationSchema,
  target: locationSchema,
  options: optionsSchema,
  /** Bytes that the source may have; a larger one fails the run. */
  mostBytes: z.int().min(0).optional(),
  /** The last `finished` that earlier pods reported, also of earlier tries, since the last reset. */
  finished: z.int().min(0).optional(),
  /** The run's result is stored: what is left to do is to drop the target's `_rowferry`, if it is there. */
  isStored: z.boolean().optional(),
});
export type WorkerAssignment = z.infer<typeof workSchema>;

/** Where a backup's parts are: a bucket with its credentials, or a volume that is mounted. */
const storageWorkSchema = z.object({
  spec: z.union([
    z.object({
      bucket: z.object({
        endpoint: z.string().optional(),
        region: z.string(),
        bucket: z.string(),
        prefix: z.string().optional(),
        ca: z.string().optional(),
      }),
    }),
    /** `place`: its name for a person. */
    z.object({ folder: z.string(), place: z.string().optional() }),
  ]),
  /** Of a bucket: themselves, or the folder in which a Secret is mounted. */
  credentials: z
    .union([
      z.object({ accessKeyId: z.string(), secretAccessKey: z.string(), sessionToken: z.string().optional() }),
      z.object({ folder: z.string() }),
    ])
    .optional(),
  /** Where the endpoint is untrusted input. */
  guard: guardSchema.optional(),
});

const runOwner = { owner: z.string(), ownerName: z.string(), run: z.int() };

const backupWorkSchema = z.object({
  kind: z.literal("backup"),
  ...runOwner,
  source: locationSchema,
  storage: storageWorkSchema,
  /** Of this pod alone, below `runFolder`; what other pods of the run left there is removed. */
  folder: z.string(),
  runFolder: z.string(),
  identity: z.object({ id: z.string(), schedule: z.string().optional(), slot: z.string().optional() }),
  recipients: z.array(z.string()).min(1),
  /** Hash every row, for the verification of this run. */
  checksums: z.boolean().optional(),
  options: optionsSchema.pick({ jobs: true, source_ca: true }),
});
export type BackupWork = z.infer<typeof backupWorkSchema>;

const restoreWorkSchema = z.object({
  kind: z.literal("restore"),
  ...runOwner,
  /** Absent: the throw-away server of this pod. */
  target: locationSchema.optional(),
  storage: storageWorkSchema,
  folder: z.string(),
  /** age private keys, or the file in which a Secret with them is mounted. */
  identities: z.union([z.array(z.string()), z.object({ file: z.string() })]),
  expect: z.object({ run: z.string(), manifestDigest: z.string() }),
  allowNotEmpty: z.boolean(),
  /** Into the throw-away server of this pod, and from there into the target by a copy. */
  convert: z.literal(true).optional(),
  /** With `convert`: the result is stored, and what is left to do is to drop the target's `_rowferry`, if it is there. */
  isStored: z.literal(true).optional(),
  options: optionsSchema.pick({ jobs: true, target_ca: true }),
});
export type RestoreWork = z.infer<typeof restoreWorkSchema>;

/** The parts of a run that failed or is deleted. */
const removalWorkSchema = z.object({
  kind: z.literal("removal"),
  ...runOwner,
  storage: storageWorkSchema,
  /** In this order. */
  folders: z.array(z.string()).min(1),
});
export type RemovalWork = z.infer<typeof removalWorkSchema>;

/** A Migration's has no `kind`. */
export const anyWorkSchema = z.union([backupWorkSchema, restoreWorkSchema, removalWorkSchema, workSchema]);
export type AnyWork = z.infer<typeof anyWorkSchema>;

const workerLogSchema = z.object({
  time: z.iso.datetime(),
  level: z.enum(["info", "warning", "error"]),
  message: z.string().max(1024),
});

/** How a worker logs an error after which another pod tries again. The operator reads it from the status's log, also of earlier versions' workers. */
export const passingMessage = ({ reason, message }: { reason: string; message: string }): string =>
  `${message} (${reason}); another pod tries again`;
export const passingPattern = /^(?<message>[\s\S]*) \((?<reason>[a-z_]+)\); another pod tries again$/;

/** The whole state so far, at most once a second; the latest one wins. */
export const reportSchema = z.object({
  type: z.enum(["transfer", "conversion"]).optional(),
  size: z.int().min(0).optional(),
  /** `countedBytes` of src/engine/run/source-limit.ts, of this pod and earlier ones; where the size is limited. */
  finished: z.int().min(0).optional(),
  /** The pod ends after it, without a result: it is stored at once, so that the next pod counts on. */
  isLast: z.literal(true).optional(),
  assessment: boundedAssessmentSchema.optional(),
  progress: progressSchema.optional(),
  /** In place of `progress`, of a backup or a restore. */
  backup: backupProgressSchema.optional(),
  /** The last milestones of this pod, oldest first. */
  log: z.array(workerLogSchema).max(40),
});
export type Report = z.infer<typeof reportSchema>;

const backupFactsSchema = z.object({
  tables: z.int().min(0),
  rows: z.int().min(0),
  seconds: z.int().min(0),
  /** Of a backup. */
  size: z.int().min(0).optional(),
  stored: z.int().min(0).optional(),
  location: z.string().max(512).optional(),
  place: z.string().max(1024).optional(),
  manifestDigest: z.string().max(80).optional(),
  engine: z.string().max(64).optional(),
  serverVersion: z.string().max(128).optional(),
});

export const outcomeSchema = z.object({
  report: reportSchema,
  outcome: z.enum(["completed", "failed"]),
  reason: z.string().max(128),
  message: z.string().max(2048),
  /** Of a failed run: the engine's own word for the error (`EngineError.retryable`). */
  retryable: z.boolean().optional(),
  /** gzip + base64 of JSON {report: CopyReport, log}, stored in the ConfigMap that the Migration owns. */
  archive: z.string().max(900_000).optional(),
  summary: z.object({ tables: z.int(), rows: z.int(), reported: z.int() }).optional(),
  /** Of a backup or a restore that completed. */
  backup: backupFactsSchema.optional(),
});
export type RunOutcome = z.infer<typeof outcomeSchema>;

/** The worker's exit codes; the Job's podFailurePolicy reads them. */
export const exitCodes = {
  /** Copied, verified, and the result is stored. */
  completed: 0,
  /** Something passing (lost connection, asked to stop): the Job starts another pod. */
  retry: 1,
  /** Failed in a way that another pod cannot fix, and the result is stored: the Job fails at once. */
  failed: 2,
  /** The operator said that this pod is not the current one: costs the Job no retry. */
  superseded: 3,
} as const;

/** Names of the worker's environment variables, and where its pod has its files. */
export const workerEnv = {
  /** Base URL of the operator's endpoint. */
  url: "ROWFERRY_OPERATOR_URL",
  /** PEM of the CA that signs the endpoint's certificate. */
  ca: "ROWFERRY_OPERATOR_CA",
  /** File with the projected token; read it anew for each request, since the kubelet renews it. */
  tokenFile: "ROWFERRY_TOKEN_FILE",
  /** Of a verification or a conversion: URL of the throw-away server of this pod, on loopback. */
  verifyUrl: "ROWFERRY_VERIFY_URL",
} as const;

export const workerPaths = {
  token: "/var/run/rowferry/token",
  source: "/var/run/rowferry/source",
  target: "/var/run/rowferry/target",
  /** A backup's volume, the Secret of its bucket, and that of age private keys. */
  storage: "/var/run/rowferry/storage",
  credentials: "/var/run/rowferry/credentials",
  identities: "/var/run/rowferry/identities",
} as const;
