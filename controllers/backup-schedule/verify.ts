import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule, ScheduleStatus } from "../../src/resources/backup/schedule.ts";
import type { ConditionFinding } from "../../src/resources/conditions.ts";
import { isVerificationDue } from "../jobs/verification-due.ts";
import { byTime, isCompleted } from "./observed.ts";

/** Which run is to be verified by a restore, and whether the last verification is good and recent. Pure. */

const day = 86_400_000;

type LastVerification = NonNullable<ScheduleStatus["lastVerification"]>;

/** The latest verification of all runs; that of a deleted run is kept from the status. */
export function lastVerificationOf(
  { status }: BackupSchedule,
  runs: readonly BackupRun[],
): LastVerification | undefined {
  const found = runs.flatMap(({ metadata, status: of }) =>
    of?.verification ? [{ run: metadata.name, at: of.verification.at, outcome: of.verification.outcome }] : [],
  );
  return [...(status?.lastVerification ? [status.lastVerification] : []), ...found]
    .sort((a, b) => a.at.localeCompare(b.at))
    .at(-1);
}

/** The run that the policy wants to be verified now. */
export function dueVerification(
  { spec }: BackupSchedule,
  runs: readonly BackupRun[],
  last: LastVerification | undefined,
  now: number,
): BackupRun | undefined {
  if (spec.verification.policy === "Never") return undefined;
  const completed = runs.filter(isCompleted).sort(byTime);
  if (completed.some(isBeingVerified)) return undefined;
  const newest = completed.at(-1);
  if (newest === undefined || newest.status?.verification !== undefined || newest.spec.verifications > 0)
    return undefined;
  return isVerificationDue(spec.verification.policy, last, now) ? newest : undefined;
}

/** A verification was asked for and has not ended. */
const isBeingVerified = ({ spec, status }: BackupRun): boolean =>
  spec.verifications > (status?.verifications ?? 0) || (spec.verifications > 0 && status?.verification === undefined);

export function verifiedFinding(
  { spec }: BackupSchedule,
  last: LastVerification | undefined,
  now: number,
): ConditionFinding {
  const { policy, maxAgeDays } = spec.verification;
  const say = (status: ConditionFinding["status"], reason: string, message: string): ConditionFinding => ({
    ...{ type: "Verified", status, reason, message },
  });
  if (last === undefined)
    return policy === "Never"
      ? say("Unknown", "NotRequired", "spec.verification.policy is Never, and no run was verified on request.")
      : say("Unknown", "NotYetVerified", "No run has been verified yet; the next completed one is.");
  if (last.outcome === "failed")
    return say(
      "False",
      "VerificationFailed",
      `The verification of ${last.run} at ${last.at} failed: see its status.verification.`,
    );
  if (policy !== "Never" && now - Date.parse(last.at) > maxAgeDays * day)
    return say(
      "False",
      "VerificationTooOld",
      `The last verification (${last.run} at ${last.at}) is older than ${maxAgeDays} days: see why no newer run was verified, or raise spec.verifications of a completed run.`,
    );
  return say("True", "Verified", `${last.run} was restored and is equal to its backup; at ${last.at}.`);
}
