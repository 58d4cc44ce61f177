import * as z from "zod";
import { quantity } from "../../../controllers/jobs/quantity.ts";
import { workerParts } from "../../resources/worker.ts";
import { currency, priceList, stripeSettings } from "../price-list.ts";
import { reportSettings } from "../report-bucket.ts";
import {
  bucketSetting,
  flag,
  fraction,
  guardSettings,
  json,
  list,
  number,
  servingSettings,
  settingsReader,
} from "../settings.ts";

/**
 * The operator's settings: one environment variable each, read once at start. The chart sets them.
 * `describe` texts are the manual; a variable that is absent takes the default below.
 */

const quantities = z.record(z.string(), z.string());
const podResources = z.object({ requests: quantities.optional(), limits: quantities.optional() });

export const operatorEnvironment = z.object({
  ROWFERRY_NAMESPACE: z.string().min(1).describe("The installation's namespace (downward API metadata.namespace)."),
  ROWFERRY_WATCH_NAMESPACES: list.describe(
    "Namespaces, between commas, in which alone the operator works, with Roles there and no right on the cluster; empty: all.",
  ),
  ROWFERRY_POD_NAME: z
    .string()
    .min(1)
    .describe("This replica's name, its identity in the Lease (downward API metadata.name)."),
  ROWFERRY_WORKER_IMAGE: z.string().min(1).describe("Image of the Jobs; usually the operator's own."),
  ROWFERRY_WORKER_PULL_POLICY: z.enum(["Always", "IfNotPresent", "Never"]).default("IfNotPresent"),
  ROWFERRY_WORKER_PULL_SECRETS: json(z.array(z.string()), "[]").describe(
    "JSON list of image pull Secrets' names in the Migrations' namespaces.",
  ),
  ROWFERRY_WORKER_COMMAND: json(z.array(z.string()).min(1), '["node","/app/worker.js"]').describe(
    "JSON list: the container's command.",
  ),
  ROWFERRY_WORKER_UID: number(65532, 1, 2 ** 31 - 1).describe("Numeric user of the image; never 0."),
  ROWFERRY_WORKER_RESOURCES: json(
    podResources,
    '{"requests":{"cpu":"250m","memory":"256Mi"},"limits":{"memory":"512Mi"}}',
  ).describe("JSON object: the container's resources."),
  ROWFERRY_WORKER_MEMORY_MAX: z
    .string()
    .default("")
    .transform((text) => (text === "" ? 0 : quantity(text)))
    .pipe(z.number().min(0))
    .describe(
      "Quantity: the most memory of a worker whose copy was measured to need more than its resources; empty: never more.",
    ),
  ROWFERRY_WORKER_PLACEMENT: json(
    z.strictObject({
      nodeSelector: z.record(z.string(), z.string()).optional(),
      tolerations: z.array(z.looseObject({})).optional(),
      affinity: z.looseObject({}).optional(),
      priorityClassName: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    "{}",
  ).describe(
    "JSON object: nodeSelector, tolerations, affinity, priorityClassName, labels and annotations of the pods.",
  ),
  ROWFERRY_WORKER_ALLOWED: json(z.array(z.enum(workerParts)), "[]").describe(
    "JSON list: allowed parts of spec.worker of a Migration.",
  ),
  ROWFERRY_WORKER_TMP_SIZE: z.string().default("1Gi").describe("sizeLimit of the emptyDir at /tmp."),
  ROWFERRY_WORKER_GRACE_SECONDS: number(30, 1, 3600).describe("terminationGracePeriodSeconds of the pods."),
  ROWFERRY_WORKER_TOKEN_SECONDS: number(3600, 600, 3600).describe(
    "Lifetime of the projected token; the kubelet renews it.",
  ),
  ROWFERRY_JOB_BACKOFF_LIMIT: number(6, 0, 100).describe(
    "Pods that may fail before a run fails; disruptions do not count.",
  ),
  ROWFERRY_JOB_TTL_SECONDS: number(86_400, 0, 31_536_000).describe("A finished Job is deleted after this time."),
  ROWFERRY_MAX_RUNNING: number(20, 1, 10_000).describe("Limit of parallel runs in the cluster."),
  ROWFERRY_MAX_RUNNING_PER_NAMESPACE: number(5, 1, 10_000).describe("Runs at the same time in one namespace."),
  ROWFERRY_MAX_RUNNING_PER_ACCOUNT: number(10, 1, 10_000).describe(
    "Runs at the same time that one Account made through the API, over all of its teams.",
  ),
  ROWFERRY_MAX_RUNNING_PER_SOURCE: number(0, 0, 10_000).describe(
    "Runs at the same time that copy from one server, of those that name it; 0: any.",
  ),
  ROWFERRY_MAX_RUNNING_PER_TARGET: number(0, 0, 10_000).describe("Likewise into one server."),
  ROWFERRY_RESERVED_RUNNING: number(0, 0, 9999).describe(
    "Number of the parallel runs in the cluster that are reserved for accounts and namespaces without a run.",
  ),
  ROWFERRY_MAX_RUN_HOURS: fraction(168, 0, 8760).describe(
    "Hours, or a part of one, after which a run whose URLs came through the API is ended; 0: never.",
  ),
  ROWFERRY_WORKER_SILENT_SECONDS: number(300, 0, 86_400).describe(
    "After this time without a report of a worker, the operator replaces its pod; 0: never.",
  ),
  ROWFERRY_API: flag(true).describe(
    "Whether the API is installed (api.enabled), for which the operator makes certificates, keys and Secrets of passwords.",
  ),
  ROWFERRY_API_HOSTS: list.describe(
    "Host names and addresses, between commas, by which the API is reached beside its Service: its certificate names them.",
  ),
  ROWFERRY_PROBER_HOSTS: list.describe("Likewise for the prober."),
  ...stripeSettings,
  ROWFERRY_CURRENCY: currency.describe("Currency of the prices, as in the API: three letters of ISO 4217."),
  ROWFERRY_PRICES: priceList.describe(
    "JSON object, as the API has it: the price that is named where a source has grown over its quote.",
  ),
  ROWFERRY_HOLD_GRACE_HOURS: fraction(24, 0, 96).describe(
    "Hours that a failed run keeps its hold, so that a retry needs no person.",
  ),
  ROWFERRY_PAST_DUE_DAYS: fraction(14, 0, 90).describe(
    "Days that a subscription counts as Pro after its renewal was not paid.",
  ),
  ROWFERRY_UNPAID_DAYS: fraction(30, 0, 3650).describe(
    "Days, or a part of one, after which a Migration that nobody paid for is removed; 0: never.",
  ),
  ROWFERRY_SWEEP_SECONDS: number(60, 1, 21_600).describe(
    "The first wait until holds at Stripe without a Migration are looked for; it doubles up to six hours.",
  ),
  ROWFERRY_KEYS_SECONDS: number(300, 1, 3600).describe(
    "Keys and certificates are looked at after this time: whether to renew, whether to rotate.",
  ),
  ROWFERRY_TEAM_QUOTA: json(
    quantities,
    '{"count/migrations.rowferry.dev":"1000","count/jobs.batch":"1000","pods":"50","secrets":"100"}',
  ).describe("JSON object: spec.hard of the ResourceQuota in each team's namespace."),
  ROWFERRY_TEAM_EGRESS: json(z.array(z.record(z.string(), z.unknown())).nullable(), "null")
    .transform((egress) => egress ?? undefined)
    .describe(
      "JSON list: spec.egress of the NetworkPolicy in each team's namespace for workers whose URLs came through the API; null: no egress rule.",
    ),
  ROWFERRY_FINISHED_SECONDS: z
    .union([z.literal("").transform(() => undefined), z.coerce.number().int().min(0).max(315_360_000)])
    .optional()
    .describe("Seconds after its end when a Migration is deleted that does not say it itself; absent: never."),
  ROWFERRY_HISTORY_LIMIT: number(0, 0, 1_000_000).describe(
    "Finished Migrations that each namespace keeps; those that ended first are deleted beyond it; 0: any.",
  ),
  ROWFERRY_SEALED_URL_DAYS: fraction(30, 0, 3650).describe(
    "Days, or a part of one, after a Migration's end when its sealed URLs are taken out; it cannot run again then.",
  ),
  ROWFERRY_SEALING_KEY_DAYS: fraction(90, 0, 3650)
    // In milliseconds.
    .transform((days) => (days === 0 ? undefined : days * 86_400_000))
    .describe("Days, or a part of one, after which URLs are sealed to a new key; 0: only on request."),
  ROWFERRY_SEALING_KEYS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("File with the sealing keys that the platform keeps; without it the operator makes its own."),
  ROWFERRY_BACKUPS: flag(false).describe(
    "Whether BackupSchedules, BackupRuns and Restores are acted on (backups.enabled).",
  ),
  ROWFERRY_BACKUP_BUCKET: bucketSetting.describe(
    "JSON object: the bucket of teams' backups that name no storage; null: no default bucket.",
  ),
  ROWFERRY_BACKUP_CREDENTIALS: z
    .string()
    .default("/etc/rowferry/backup")
    .describe("Folder with the bucket's accessKeyId and secretAccessKey, read for each pod."),
  ROWFERRY_VERIFY_IMAGES: json(
    z.partialRecord(z.enum(["postgres", "mysql", "mariadb"]), z.string().min(1)),
    "{}",
  ).describe("JSON object: images of the throw-away servers in which backups are verified, by engine."),
  ROWFERRY_VERIFY_RESOURCES: json(
    podResources,
    '{"requests":{"cpu":"250m","memory":"512Mi"},"limits":{"memory":"1Gi"}}',
  ).describe("JSON object: resources of such a server's container."),
  ROWFERRY_VERIFY_DATA_SIZE: z.string().default("20Gi").describe("sizeLimit of such a server's data (an emptyDir)."),
  ROWFERRY_BACKUP_JITTER_SECONDS: number(300, 0, 3600).describe(
    "Seconds over which the runs of one minute are spread, by the schedules' uids.",
  ),
  ...reportSettings,
  ...guardSettings,
  ROWFERRY_GUARD_SECRETS: flag(false).describe("true: the same holds for the URLs in Secrets that a Migration names."),
  ROWFERRY_ENDPOINT_URL: z
    .url()
    .optional()
    .describe(
      "Where workers reach the operator; default https://rowferry-operator.<namespace>.svc:8443. Its host is in the certificate.",
    ),
  ROWFERRY_ENDPOINT_PORT: number(8443, 0, 65_535).describe("Port of the workers' endpoint (TLS); 0: a free one."),
  ROWFERRY_LEASE_SECONDS: number(15, 3, 300).describe("Lease duration; the leader renews it every fifth of it."),
  ROWFERRY_RESYNC_SECONDS: number(300, 5, 3600).describe(
    "Every cache is listed anew after this time, whatever the watch says.",
  ),
  ROWFERRY_RECONCILERS: number(4, 1, 64).describe("Passes of the reconciler at the same time."),
  ...servingSettings,
});

export type OperatorEnvironment = z.output<typeof operatorEnvironment>;

/** Reads the settings, or throws an Error that names each variable that is missing or wrong. */
export const readConfig = settingsReader("operator", operatorEnvironment);

/** How long finished Migrations are kept: milliseconds, and a number for each namespace. */
export const retentionOf = ({ ROWFERRY_FINISHED_SECONDS: seconds, ROWFERRY_HISTORY_LIMIT }: OperatorEnvironment) => ({
  finishedKept: seconds === undefined ? undefined : seconds * 1000,
  historyLimit: ROWFERRY_HISTORY_LIMIT,
});

/** How many runs may be at work at once. */
export const limitsOf = (config: OperatorEnvironment) => ({
  cluster: config.ROWFERRY_MAX_RUNNING,
  namespace: config.ROWFERRY_MAX_RUNNING_PER_NAMESPACE,
  account: config.ROWFERRY_MAX_RUNNING_PER_ACCOUNT,
  reserved: config.ROWFERRY_RESERVED_RUNNING,
  source: config.ROWFERRY_MAX_RUNNING_PER_SOURCE,
  target: config.ROWFERRY_MAX_RUNNING_PER_TARGET,
});
