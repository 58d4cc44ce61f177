import type { Silence, StateReason } from "./observed.ts";
import { afterResult } from "./state.ts";
import { silentReason } from "./state-reason.ts";

/** A worker that has said nothing for too long, and whose pod was ended or cannot be. Pure. */
export interface Silenced {
  /** Of the worker whose pod runs. */
  silence?: Silence | undefined;
  /** What was said of the pod that this pass ended. */
  ended?: string;
  /** Why it could not be ended. */
  notEnded?: string;
}

export function silenced({ ended, notEnded }: Silenced): StateReason | undefined {
  if (ended !== undefined)
    return {
      reason: silentReason,
      message: `${ended}: its pod was ended, and the Job starts another, which continues.`,
    };
  if (notEnded === undefined) return undefined;
  return {
    reason: silentReason,
    message: `The worker has not reported for too long, and its pod cannot be ended (${notEnded}): delete the pod, or the node if it is lost.`,
  };
}

/** Nothing happens when a worker falls silent: the next look is when it will have been for too long. */
export function lookAtSilence({ silence, ended, notEnded }: Silenced, hasResult: boolean): { lookAgain?: number } {
  if (ended !== undefined) return { lookAgain: 2000 };
  const most = hasResult ? afterResult : (silence?.most ?? 0);
  if (silence === undefined || most === 0) return {};
  return { lookAgain: notEnded === undefined ? most - silence.for + 1000 : 60_000 };
}
