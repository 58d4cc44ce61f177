import { EngineError } from "../../contract/index.ts";
import { errorNumber } from "../driver/write-session.ts";

/** Failures of the server's files, memory or threads: another attempt may succeed. */
const passing = new Set([1004, 1005, 1023, 1024, 1025, 1026, 1030, 1034, 1037, 1038, 1041, 1135, 1180, 1799, 1815]);

/** The server's answer to the statement itself: what it has no room, type or function for. Below 1000 are errors of its files. */
export function isRefusedObject(error: unknown): error is EngineError {
  const number = errorNumber(error) ?? 0;
  return error instanceof EngineError && error.code === "database_error" && number >= 1000 && !passing.has(number);
}

/** The end of a run with `on_object_error: fail`, or for a key. `what`: kind and name. */
export const schemaRefused = (what: string, error: EngineError): EngineError =>
  new EngineError("schema_refused", `making ${what}: ${error.message}`, { side: "target", cause: error });
