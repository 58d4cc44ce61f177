import type { BackupEncryption, BackupStorage } from "../../src/resources/backup/place.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import type { DatabaseRef } from "../../src/resources/database.ts";
import { runName } from "../jobs/names.ts";
import type { StateReason } from "../jobs/observed.ts";
import type { Used } from "./job.ts";
import { type VerifyImages, verifyImage } from "./own-server.ts";

/** What a BackupRun or a Restore takes from what it names, or why it cannot run. Pure. */

/** What a run is taken with: its own, or its schedule's as it is now. */
interface BackupPlan {
  source: DatabaseRef;
  storage?: BackupStorage | undefined;
  encryption?: BackupEncryption | undefined;
  options?: BackupRun["spec"]["options"];
  /** The object that has the sealed fields. */
  sealedIn: SealedIn;
}

export interface SealedIn {
  kind: "BackupSchedule" | "BackupRun";
  namespace: string;
  name: string;
  /** ISO time at which it was made; undefined where the operator itself has recorded what is sealed. */
  madeAt: string | undefined;
}

/** Undefined: its schedule does not exist. */
function backupPlan(run: BackupRun, schedule: BackupSchedule | undefined): BackupPlan | undefined {
  const { source, storage, encryption, options } = run.spec;
  if (run.spec.schedule === undefined)
    return source && { source, storage, encryption, options, sealedIn: sealedIn("BackupRun", run.metadata) };
  if (schedule === undefined || schedule.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, metadata } = schedule;
  return {
    ...{ source: spec.source, storage: spec.storage, encryption: spec.encryption, options: spec.options },
    sealedIn: sealedIn("BackupSchedule", metadata),
  };
}

const sealedIn = (
  kind: SealedIn["kind"],
  { namespace, name, creationTimestamp }: BackupRun["metadata"] | BackupSchedule["metadata"],
): SealedIn => ({ kind, namespace, name, madeAt: creationTimestamp });

/** Where a run's storage, as its status records it, was sealed. */
export const storageSealedIn = ({ spec, metadata: { namespace, name } }: BackupRun): SealedIn => ({
  ...(spec.schedule === undefined ? { kind: "BackupRun", name } : { kind: "BackupSchedule", name: spec.schedule }),
  namespace,
  madeAt: undefined,
});

export const storageOfTeams =
  "The installation's storage is only for namespaces of teams. In other namespaces set storage in the BackupSchedule, or in the BackupRun without one.";

type RunNeeds = { plan: BackupPlan } | { missing: StateReason };

/** `hasStorage`: whether the installation has a storage for the run's namespace. */
export function runNeeds(run: BackupRun, schedule: BackupSchedule | undefined, hasStorage: boolean): RunNeeds {
  const plan = backupPlan(run, schedule);
  if (plan === undefined) {
    const message = `The BackupSchedule ${run.spec.schedule} that spec.schedule names does not exist in namespace ${run.metadata.namespace}.`;
    return { missing: { reason: "ScheduleMissing", message } };
  }
  const { slot, schedule: name } = run.spec;
  if (slot !== undefined && name !== undefined && run.metadata.name !== runName(name, Date.parse(slot))) {
    const message = `Only a run that the schedule started has a slot, and it is named ${runName(name, Date.parse(slot))}: create a run without trigger and slot.`;
    return { missing: { reason: "SlotTaken", message } };
  }
  if (plan.storage === undefined && !hasStorage)
    return {
      missing: {
        reason: "StorageMissing",
        message: `No storage. ${storageOfTeams}`,
      },
    };
  return { plan };
}

type RestoreNeeds = { used: Used; run: BackupRun } | { missing: StateReason };

/** `images`: those that the installation has for verifications. */
export function restoreNeeds(restore: Restore, run: BackupRun | undefined, images: VerifyImages): RestoreNeeds {
  const { backupRun, target, identities } = restore.spec;
  const missing = (reason: string, message: string) => ({ missing: { reason, message } });
  if (run === undefined || run.metadata.deletionTimestamp !== undefined)
    return missing(
      "BackupRunMissing",
      `The BackupRun ${backupRun} that spec.backupRun names does not exist in namespace ${restore.metadata.namespace}.`,
    );
  const { status } = run;
  if (status?.state !== "completed" || status.manifestDigest === undefined || status.location === undefined)
    return missing(
      "BackupRunNotCompleted",
      `The BackupRun ${backupRun} is ${status?.state ?? "pending"}: only a completed one can be restored.`,
    );
  const own = identities ?? status.encryption?.identities;
  if (status.encryption !== undefined && own === undefined)
    return missing(
      "IdentitiesMissing",
      `The backup is encrypted for the schedule's recipients, not for the installation's key ring: name a Secret with their age private key in spec.identities.`,
    );
  const used = { target, storage: status.storage, identities: own };
  const { verification, convert } = restore.spec;
  if (!verification && !convert) return { run, used };
  const engine = verifyImage(status.engine);
  if (engine === undefined)
    return missing(
      "VerificationImageMissing",
      convert
        ? `Backups of ${status.engine} cannot be converted: no throw-away server supports them. Restore the run into ${status.engine}, then copy that database with a Migration.`
        : `Backups of ${status.engine} cannot be verified in a throw-away server yet. Restore the run into an empty database to check it, and set spec.verification.policy of the BackupSchedule to Never.`,
    );
  const image = images[engine];
  if (image === undefined)
    return missing(
      "VerificationImageMissing",
      convert
        ? `The installation has no image of a ${status.engine} server to convert the backup. Ask your administrator to set backups.verification.images.${engine}, or restore the run into ${status.engine} and copy that database with a Migration.`
        : `The installation has no image of a ${status.engine} server to verify backups. Ask your administrator to set backups.verification.images.${engine}, or set spec.verification.policy of the BackupSchedule to Never.`,
    );
  return { run, used: { ...used, server: { engine, image } } };
}
