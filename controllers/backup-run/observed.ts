import type { BackupEncryption, BackupStorage } from "../../src/resources/backup/place.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { Job, Pod } from "../../src/resources/objects.ts";
import type { NewEvent } from "../jobs/conclude.ts";
import type { JobCreation, Slot, StateReason } from "../jobs/observed.ts";
import type { Silenced } from "../jobs/silenced.ts";
import type { ControllerStatus } from "./status.ts";
import type { Subject } from "./subject.ts";

/** What a pass sees of one BackupRun or Restore, and what it is to do. */

export interface Observed extends Silenced {
  subject: Subject;
  /** Every Job that it owns, and every pod of those. */
  jobs: readonly Job[];
  pods: readonly Pod[];
  slot: Slot;
  /** Why the run's pod does not start, or after its end the pod that removes its parts, where events had to tell. */
  trouble?: StateReason;
  /** Of a run that has not started: the run of the same BackupSchedule that it waits for. */
  first?: BackupRun;
  made?: JobCreation;
  confirmedGone?: boolean;
  /** Of one that has not started: what it needs, or why it cannot run. */
  needs?: Needs;
  /** Of a BackupRun: the Restores that verify it. */
  proofs: readonly Restore[];
  /** Another Restore has the name of the one that was to verify it. */
  verificationTaken?: true;
  /** What came of making the removal's Job in this pass. */
  removal?: JobCreation;
  /** Milliseconds that a sealed URL is kept after the end; for ever without. */
  urlsKept?: number;
}

export type Needs =
  | {
      /** Of a BackupRun; absent: the installation's. */
      storage?: BackupStorage;
      encryption?: BackupEncryption;
      /** Of a BackupRun with a schedule. */
      scheduleUid?: string;
    }
  | { missing: StateReason };

export type Act =
  | { kind: "make-job" }
  | { kind: "delete-job"; name: string; uid: string }
  | { kind: "confirm-gone"; name: string; uid: string }
  | { kind: "end-pod"; name: string; uid: string }
  | { kind: "set-finalizers"; finalizers: string[] }
  | { kind: "make-removal" }
  | { kind: "make-verification"; name: string }
  | { kind: "expire-url" };

export interface Plan {
  /** Done before this pass can say more; then decide again with what came of it. */
  act?: Act;
  status: ControllerStatus;
  events: NewEvent[];
  /** Milliseconds. */
  lookAgain?: number;
}

export const isRun = (subject: Subject): subject is BackupRun => subject.kind === "BackupRun";
