import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupVerification } from "../../src/resources/backup/status.ts";
import { child } from "../jobs/names.ts";
import type { Observed, Plan } from "./observed.ts";
import { type ControllerStatus, withFinding } from "./status.ts";
import type { Subject } from "./subject.ts";

/** The verification of a completed run: `verified` only after a Restore of it into a throw-away server was completed. Pure. */

const verificationName = (run: string, verifications: number): string => child(run, `verify-${verifications}`);

/** Of a completed run: a verification that was asked for is a Restore of its own, whose end is noted here. */
export function planVerification(observed: Observed, subject: BackupRun, plan: Plan, now: Date): Plan {
  const { proofs } = observed;
  const { name } = subject.metadata;
  const asked = subject.spec.verifications;
  const wanted = verificationName(name, asked);
  const restore = proofs.find((one) => one.metadata.name === wanted && isVerificationOf(one, subject));
  if (observed.verificationTaken && asked > (subject.status?.verifications ?? 0))
    return taken(subject, plan, wanted, now);
  if (asked > 0 && restore === undefined && asked > (subject.status?.verifications ?? 0))
    return { ...plan, act: { kind: "make-verification", name: wanted } };
  if (restore === undefined) return plan;
  const status: ControllerStatus = { ...plan.status, verifications: asked };
  const verification = verificationOf(restore);
  if (verification === undefined || subject.status?.verification?.restore === restore.metadata.name)
    return { ...plan, status };
  const isGood = verification.outcome === "verified";
  const message = isGood
    ? `Restored and equal. Tables: ${verification.tables}, rows: ${verification.rows}, seconds: ${verification.seconds}.`
    : (verification.message ?? "The verification failed.");
  const reason = isGood ? "Verified" : "VerificationFailed";
  return {
    ...plan,
    status: withVerified(
      subject,
      { ...status, verification },
      { holds: isGood ? "True" : "False", reason, message },
      now,
    ),
    events: [{ type: isGood ? "Normal" : "Warning", reason, note: message }],
  };
}

/** Somebody who may create Restores can give one a run's name and ownerReference: only one that restores this run to verify it counts. */
export const isVerificationOf = ({ spec, metadata }: Restore, run: BackupRun): boolean =>
  spec.verification &&
  spec.backupRun === run.metadata.name &&
  metadata.ownerReferences?.some(({ uid }) => uid === run.metadata.uid) === true;

/** The request is over: another one has another name. */
function taken(subject: BackupRun, plan: Plan, name: string, now: Date): Plan {
  const message = `The Restore ${name} exists and does not verify this run: delete it, then raise spec.verifications by one.`;
  const reason = "VerificationNameTaken";
  const status = { ...plan.status, verifications: subject.spec.verifications };
  return {
    ...plan,
    status: withVerified(subject, status, { holds: "False", reason, message }, now),
    events: [{ type: "Warning", reason, note: message }],
  };
}

export function withVerified(
  subject: Subject,
  status: ControllerStatus,
  { holds, reason, message }: { holds: "True" | "False"; reason: string; message: string },
  now: Date,
): ControllerStatus {
  return withFinding(subject, status, { type: "Verified", status: holds, reason, message }, now);
}

function verificationOf({ metadata, status }: Restore): BackupVerification | undefined {
  const at = status?.finishedAt;
  if (at === undefined || (status?.state !== "completed" && status?.state !== "failed")) return undefined;
  const failed = status.conditions?.find(({ type }) => type === "Failed")?.message;
  return {
    ...{ at, restore: metadata.name },
    outcome: status.state === "completed" ? "verified" : "failed",
    ...{ tables: status.tables ?? 0, rows: status.rows ?? 0, seconds: status.seconds ?? 0 },
    ...(status.state === "failed" && failed ? { message: failed } : {}),
  };
}
