import type { Migration } from "../../src/resources/migration.ts";
import type { Job, Pod } from "../../src/resources/objects.ts";
import type { WorkerPart } from "../../src/resources/worker.ts";
import type { JobCreation, Slot, StateReason } from "../jobs/observed.ts";
import type { Silenced } from "../jobs/silenced.ts";

/** What a pass sees of one Migration and its surroundings. */
export interface Observed extends Silenced {
  migration: Migration;
  /** Every Job that the Migration owns, of any run. */
  jobs: readonly Job[];
  /** Every pod of those Jobs. */
  pods: readonly Pod[];
  /** Whether a run may start now. */
  slot: Slot;
  /** Why the current run's pod does not start, where events had to tell. */
  trouble?: StateReason;
  /** Milliseconds after which a pod that says nothing, or does not end, is taken for lost; 0: never. */
  silentAfter?: number;
  /** What came of making the run's Job in this pass. */
  made?: JobCreation;
  /** Quantity: what the next run's container gets, where that is enough for the measured copy. */
  memoryOfNext?: string | undefined;
  /** The recorded Job was looked for at the API server itself and is not there. */
  confirmedGone?: boolean;
  /** Parts that `spec.worker` may have; any where it is absent. */
  allowedParts?: readonly WorkerPart[];
  /** Milliseconds that a sealed URL is kept after the end; for ever without. */
  urlsKept?: number;
  /** Milliseconds after its end when it is deleted, unless it says so itself; never without. */
  finishedKept?: number | undefined;
  /** Its namespace keeps as many that ended later. */
  isSurplus?: boolean;
  /** It was deleted in this pass. */
  isRemoved?: boolean;
  /** What came of `begin-free` or `use-free` in this pass. */
  free?: "begun" | "used" | "not-its-own";
  /** The installation has no Stripe key: nobody can pay, and nothing is captured. */
  isBillingOff?: boolean;
  /** The API server itself says that no pod of the Migration is alive. */
  confirmedIdle?: boolean;
}
