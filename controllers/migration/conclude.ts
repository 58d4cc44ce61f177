import type { MigrationState } from "../../src/resources/migration.ts";
import { concluded } from "../jobs/conclude.ts";
import type { StateReason } from "../jobs/observed.ts";
import type { Observed } from "./observed.ts";
import type { Plan } from "./plan.ts";
import type { ControllerStatus } from "./status.ts";

/** What else a pass says: a milestone, a Job that was just made, the pod that runs. */
type Extra = Partial<Plan> & { note?: string | undefined; start?: string; pod?: string };

/** Puts state and conditions into the status, and what is new into log and events. */
export function conclude(
  { migration }: Observed,
  status: ControllerStatus,
  state: MigrationState,
  trouble: StateReason | undefined,
  now: Date,
  { note, start, pod, ...plan }: Extra = {},
): Plan {
  const standing = { run: status.run ?? 1, state, trouble, note, start, pod, completed: "The copy is completed." };
  const { conditions, log, events } = concluded(migration, standing, now);
  return { ...plan, status: { ...status, state, conditions, ...(log ? { log } : {}) }, events };
}
