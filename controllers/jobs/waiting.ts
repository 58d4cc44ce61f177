import { untilNextLook } from "./admission.ts";
import type { JobCreation, Slot, StateReason } from "./observed.ts";

/** Why a run that has no Job yet waits: its Job cannot be made, or a limit holds it back. Pure. */

const full = {
  cluster: "the limit of the installation",
  shared: "and the other places are kept for accounts and namespaces that run nothing",
  namespace: "the limit of this namespace",
  account: "the limit of the account that created it",
  source: "the limit for its source server",
  target: "the limit for its target server",
};

/** Undefined: it may start. `kind` is that of its owner. */
export function whyWaiting(
  { made, slot }: { made?: JobCreation; slot: Slot },
  kind: string,
): { trouble: StateReason; lookAgain: number; position?: number } | undefined {
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
  const place = shownPlace(position);
  const several = place === position ? `${place - 1}` : `fewer than ${place}`;
  const before = position === 1 ? "this one is next" : `${several} ${position === 2 ? "is" : "are"} before it`;
  return {
    trouble: {
      reason: "Queued",
      message: `${limit} runs${scope === "shared" ? " or more" : ""} are in progress, ${full[scope]}; ${before}.`,
    },
    position: place,
    lookAgain: untilNextLook(position),
  };
}

/** Places up to this one are shown as they are. */
const exact = 50;

/**
 * The place in the queue as the status keeps it: far back it is rounded up to 100, 200, 500, 1000 and so on, since each run that starts
 * moves all behind it, and to save every move of thousands would burden the API server and all that watch.
 */
export function shownPlace(position: number): number {
  if (position <= exact) return position;
  for (let ten = 100; ; ten *= 10) for (const times of [1, 2, 5]) if (position <= ten * times) return ten * times;
}
