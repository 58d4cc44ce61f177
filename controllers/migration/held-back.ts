import { forbiddenParts, workerParts } from "../../src/resources/worker.ts";
import type { StateReason } from "../jobs/observed.ts";
import type { Observed } from "./observed.ts";

/** What in a Migration's own spec holds its run back, until somebody changes it. Pure. */
export function heldBack({ migration, allowedParts = workerParts }: Observed): StateReason | undefined {
  const { suspend, worker } = migration.spec;
  if (suspend === true)
    return { reason: "Suspended", message: "spec.suspend is true: set it to false to start the run." };
  const parts = forbiddenParts(worker, allowedParts).map((part) => `spec.worker.${part}`);
  if (parts.length === 0) return undefined;
  const which = parts.join(", ");
  return {
    reason: "WorkerNotAllowed",
    message: `The installation does not allow ${which}: remove ${parts.length === 1 ? "it" : "them"}, or add the name${parts.length === 1 ? "" : "s"} to worker.allowed of the chart.`,
  };
}
