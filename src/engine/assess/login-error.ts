import { EngineError } from "../contract/index.ts";

/** The same error, marked as one that ended a login; anything else as it is. */
export function loginError(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { code, message, retryable, cause, report, side } = error;
  const marked = new EngineError(code, message, {
    retryable,
    cause,
    ...(report === undefined ? {} : { report }),
    ...(side === undefined ? {} : { side }),
    ofLogin: true,
  });
  if (error.stack !== undefined) marked.stack = error.stack;
  return marked;
}
