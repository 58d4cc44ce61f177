import type { ScheduleSpec } from "../../resources/backup/schedule.ts";
import { Problem } from "../errors.ts";
import { type BackupChange, type BackupCreate, deletions, policies } from "./input.ts";

/** The parts of a BackupSchedule's spec that need no sealing, from a caller's input. */

type Retention = NonNullable<BackupCreate["retention"]>;
export type Given = Partial<Omit<BackupChange, "database_url" | "database_ca" | "name" | "storage">>;

function retentionOf({ keep_last, ...rest }: Retention): NonNullable<ScheduleSpec["retention"]> {
  return { ...(keep_last === undefined ? {} : { keepLast: keep_last }), ...rest };
}

/** `spec` with what was given; null removes, and what is left out stays. Throws Problem `invalid`. */
export function withGiven(spec: ScheduleSpec, given: Given): ScheduleSpec {
  const { interval, cron, ...others } = spec;
  const at =
    given.interval !== undefined
      ? { interval: given.interval }
      : given.cron !== undefined
        ? { cron: given.cron }
        : { ...(interval === undefined ? {} : { interval }), ...(cron === undefined ? {} : { cron }) };
  const { policy, max_age_days } = given.verification ?? {};
  const next: ScheduleSpec = {
    ...others,
    ...at,
    ...(given.time_zone === undefined ? {} : { timeZone: given.time_zone }),
    ...(given.suspend === undefined ? {} : { suspend: given.suspend }),
    ...(given.start_deadline_seconds === undefined ? {} : { startingDeadlineSeconds: given.start_deadline_seconds }),
    ...(given.retention == null ? {} : { retention: retentionOf(given.retention) }),
    ...(given.recipients == null ? {} : { encryption: { recipients: given.recipients } }),
    verification: {
      policy: policy === undefined ? spec.verification.policy : policies[policy],
      maxAgeDays: max_age_days ?? spec.verification.maxAgeDays,
    },
    ...(given.deletion_policy === undefined ? {} : { deletionPolicy: deletions[given.deletion_policy] }),
  };
  if (given.retention === null) delete next.retention;
  if (given.recipients === null) delete next.encryption;
  checkVerification(next);
  return next;
}

/** What the service cannot decrypt it cannot verify, and a schedule that only looks verified would be a false promise. */
function checkVerification({ encryption, verification }: ScheduleSpec): void {
  if (encryption === undefined || encryption.identities !== undefined || verification.policy === "Never") return;
  const message =
    "must be never where recipients are set: the service cannot decrypt these backups, so it cannot verify them";
  const field = "verification.policy";
  throw new Problem("invalid", `${field} ${message}.`, { errors: [{ field, message }] });
}
