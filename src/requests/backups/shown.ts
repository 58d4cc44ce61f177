import { clean } from "../../guard/text.ts";
import type { BackupStorage } from "../../resources/backup/place.ts";
import type { BackupSchedule } from "../../resources/backup/schedule.ts";
import { publicId } from "../migrations/keys/id.ts";
import { createdAt, snake } from "../migrations/view/shown.ts";
import { deletions, policies } from "./input.ts";
import { marks } from "./marks.ts";
import type { Backup } from "./shapes.ts";

/** What the API shows of a BackupSchedule: a pure function of the object, without a URL or a credential. */

type Seen = Pick<BackupSchedule, "metadata" | "spec" | "status">;

/** Of an enumeration of the resource, as the API writes it. */
const nameOf = <T extends string>(of: Readonly<Record<T, string>>, value: string): T =>
  (Object.keys(of) as T[]).find((name) => of[name] === value) ?? (Object.keys(of)[0] as T);

/** Undefined while it is being deleted. */
export function backupState({ metadata, spec, status }: Seen): Backup["status"] | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (spec.suspend) return "suspended";
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "False" ? "not_ready" : "active";
}

const runRef = (ref: { name: string; slot?: string | undefined } | undefined): Backup["last_run"] =>
  ref === undefined ? null : { id: ref.name, slot: ref.slot ?? null };

function storageOf(storage: BackupStorage | undefined): Backup["storage"] {
  const nothing = { endpoint: null, region: null, bucket: null, prefix: null };
  if (storage?.bucket !== undefined) {
    const { endpoint = null, region, bucket, prefix = null } = storage.bucket;
    return { kind: "bucket", endpoint, region, bucket, prefix };
  }
  return { ...nothing, kind: storage?.volume === undefined ? "installation" : "volume" };
}

function retentionOf({ retention }: Seen["spec"]): Backup["retention"] {
  if (retention === undefined) return null;
  const { keepLast = null, daily = null, weekly = null, monthly = null, yearly = null } = retention;
  return { keep_last: keepLast, daily, weekly, monthly, yearly };
}

const lower = { True: "true", False: "false", Unknown: "unknown" } as const;

export function backupOf(schedule: Seen): Backup {
  const { metadata, spec, status } = schedule;
  return {
    id: publicId(schedule),
    name: metadata.annotations?.[marks.title] ?? null,
    status: backupState(schedule) ?? "active",
    interval: spec.interval ?? null,
    cron: spec.cron ?? null,
    time_zone: spec.timeZone,
    next_run_at: spec.suspend ? null : (status?.nextRunAt ?? null),
    last_run: runRef(status?.lastRun),
    last_completed_run: runRef(status?.lastCompletedRun),
    missed: status?.missed ?? 0,
    start_deadline_seconds: spec.startingDeadlineSeconds,
    retention: retentionOf(spec),
    storage: storageOf(spec.storage),
    recipients: spec.encryption?.recipients ?? null,
    verification: { policy: nameOf(policies, spec.verification.policy), max_age_days: spec.verification.maxAgeDays },
    last_verification: status?.lastVerification ?? null,
    deletion_policy: nameOf(deletions, spec.deletionPolicy),
    conditions: (status?.conditions ?? []).map((one) => ({
      type: snake(one.type),
      status: lower[one.status],
      reason: snake(one.reason),
      message: clean(one.message, 2048),
      changed_at: one.lastTransitionTime,
    })),
    created_at: createdAt(schedule),
  };
}

/** As it was in the moment in which it was made: what create answers, also to a repeat. */
export const backupMade = ({ metadata, spec }: BackupSchedule): Backup => backupOf({ metadata, spec });
