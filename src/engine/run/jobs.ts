import { EngineError } from "../contract/index.ts";

/** For callers whose options nobody checked. Errors: `option_invalid` where `jobs` is no number of streams. */
export function requireJobs({ jobs }: { jobs?: unknown }): void {
  if (typeof jobs === "number" && Number.isInteger(jobs) && jobs > 0) return;
  throw new EngineError("option_invalid", "options.jobs is required (integer, at least 1; 2 is usual)");
}
