import type { ControllerStatus } from "./status.ts";

/** What a pass is to do about one Migration. */
export interface Plan {
  /** To be done before this pass can say more; then decide again with what came of it. */
  act?: Act;
  /** The controller's part of the status, whole. */
  status: ControllerStatus;
  /** What to do with the worker's part: make it ready for another run, or take off the time to wait. */
  worker?: "next-run" | "reset-run" | "settled";
  events: { type: "Normal" | "Warning"; reason: string; note: string }[];
  /** Milliseconds. */
  lookAgain?: number;
}

export type Act =
  | { kind: "make-job"; run: number }
  | { kind: "delete-job"; name: string; uid: string }
  /** Ends a pod that says nothing any more. */
  | { kind: "end-pod"; name: string; uid: string }
  | { kind: "confirm-gone"; name: string; uid: string }
  | { kind: "confirm-idle" }
  /** Lets the Migration start as the account's free first one, or uses it up: by compare-and-swap on the Account. */
  | { kind: "begin-free" | "use-free"; account: string }
  /** Takes the sealed URLs of these out of the spec. */
  | { kind: "expire-urls"; of: ("source" | "target")[] }
  /** Deletes the Migration itself, some time after it ended. */
  | { kind: "remove" };

/** One thing that a pass may find; undefined: it is not so, and the next check is asked. */
export type Check<Seen> = readonly [name: string, check: (seen: Seen) => Plan | undefined];

/** The answer of the first check that has one, in their order. */
export function firstAnswer<Seen>(checks: readonly Check<Seen>[], seen: Seen): Plan {
  for (const [, check] of checks) {
    const plan = check(seen);
    if (plan !== undefined) return plan;
  }
  throw new Error(`no check has an answer: ${checks.map(([name]) => name).join(", ")}`);
}
