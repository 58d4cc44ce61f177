import { untilNextLook } from "./admission.ts";
import type { Made, Slot, Trouble } from "./observed.ts";

/** Why a run that has no Job yet waits: its Job cannot be made, or a limit holds it back. Pure. */

const whose = { cluster: "the installation", namespace: "this namespace", account: "the account that made it" };

/** Undefined: it may start. `kind` is that of its owner. */
export function whyWaiting(
  { made, slot }: { made?: Made; slot: Slot },
  kind: string,
): { trouble: Trouble; lookAgain: number; position?: number } | undefined {
  if (made?.outcome === "taken")
    return {
      trouble: {
        reason: "JobNameTaken",
        message: `The Job ${made.name} exists and is not this ${kind}'s: delete it, or create a ${kind} of another name. The run starts by itself then.`,
      },
      lookAgain: 5000,
    };
  if (made?.outcome === "refused")
    return {
      trouble: { reason: "JobRefused", message: `The API server refuses the run's Job: ${made.message}` },
      lookAgain: 5000,
    };
  if (slot.free) return undefined;
  const { limit, scope, position } = slot;
  const before = position === 1 ? "this one is next" : `${position - 1} ${position === 2 ? "is" : "are"} before it`;
  return {
    trouble: {
      reason: "Queued",
      message: `${limit} runs are in progress, as many as ${whose[scope]} may have; ${before}.`,
    },
    position,
    lookAgain: untilNextLook(position),
  };
}
