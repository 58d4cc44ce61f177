import type { WorkerTemplate } from "../../../controllers/jobs/template.ts";
import type { OperatorEnvironment } from "./config.ts";

/** What the settings say of the workers' pods. */
export function templateOf(config: OperatorEnvironment, endpointUrl: string, ca: string): WorkerTemplate {
  return {
    image: config.ROWFERRY_WORKER_IMAGE,
    pullPolicy: config.ROWFERRY_WORKER_PULL_POLICY,
    pullSecrets: config.ROWFERRY_WORKER_PULL_SECRETS,
    command: config.ROWFERRY_WORKER_COMMAND,
    uid: config.ROWFERRY_WORKER_UID,
    resources: config.ROWFERRY_WORKER_RESOURCES,
    memoryMax: config.ROWFERRY_WORKER_MEMORY_MAX,
    tmpSize: config.ROWFERRY_WORKER_TMP_SIZE,
    guardSecrets: config.ROWFERRY_GUARD_SECRETS,
    graceSeconds: config.ROWFERRY_WORKER_GRACE_SECONDS,
    tokenSeconds: config.ROWFERRY_WORKER_TOKEN_SECONDS,
    backoffLimit: config.ROWFERRY_JOB_BACKOFF_LIMIT,
    ttlSeconds: config.ROWFERRY_JOB_TTL_SECONDS,
    mostRunSeconds: Math.ceil(config.ROWFERRY_MAX_RUN_HOURS * 3600),
    silentSeconds: config.ROWFERRY_WORKER_SILENT_SECONDS,
    placement: config.ROWFERRY_WORKER_PLACEMENT,
    verify: {
      images: config.ROWFERRY_VERIFY_IMAGES,
      resources: config.ROWFERRY_VERIFY_RESOURCES,
      dataSize: config.ROWFERRY_VERIFY_DATA_SIZE,
    },
    endpointUrl,
    ca,
  };
}
