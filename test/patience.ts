/**
 * How long a test waits for a condition. Once a test of a file has failed, the others most often fail for the same cause, each at
 * the end of its patience: they get less of it, so that a red file says so soon.
 */
let failed = false;
const afterFailureMs = 3_000;

/** Of this file; `each-file.ts` calls it. */
export const noteFailure = (): void => {
  failed = true;
};

/** At the start of a file. */
export const forgetFailures = (): void => {
  failed = false;
};

export const patience = (milliseconds: number): number =>
  failed ? Math.min(milliseconds, afterFailureMs) : milliseconds;
