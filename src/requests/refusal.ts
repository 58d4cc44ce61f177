import { ClusterError } from "../cluster/index.ts";
import { Problem } from "./errors.ts";

/** A refusal of the API server, in words for a caller. `many`: plural of what was to be created. */
export function refusalOf(error: unknown, many: string, words: string): unknown {
  if (!(error instanceof ClusterError)) return error;
  if (error.code === "Forbidden" && error.message.includes("exceeded quota"))
    return new Problem("limit_reached", `The team has reached its limit of ${many}. Delete one first.`, {
      cause: error,
    });
  if (error.code === "Invalid") return new Problem("invalid", `${words}: ${error.message}`, { cause: error });
  return error;
}
