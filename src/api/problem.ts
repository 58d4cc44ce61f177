import { redact } from "../cluster/errors.ts";
import { ClusterError } from "../cluster/index.ts";
import { Problem, problems } from "../requests/errors.ts";

/** An error as RFC 9457 has it. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: { field: string; message: string }[];
}

export const problemType = "application/problem+json";

/** What went wrong as a Problem; of anything unforeseen the words stay here, in the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ClusterError)
    // 0: no answer came. A conflict that the verb did not resolve is one that a second try does.
    return error.status === 0 || error.status === 409 || error.status === 429 || error.status >= 500
      ? new Problem("unavailable", "The cluster does not respond at the moment: try again.", {
          retryAfter: Math.ceil(error.retryAfter ?? 2),
          cause: error,
        })
      : new Problem("internal", "The cluster refused a request of this service.", { cause: error });
  return new Problem("internal", "Internal error. Report the `request_id`: the service's log has the details.", {
    cause: error,
  });
}

/** `base`: of the documentation, without a slash at the end. */
export function problemDocument(problem: Problem, id: string, base: string): ProblemDocument {
  return {
    type: `${base}/docs/errors#${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: id,
    ...(problem.errors === undefined ? {} : { errors: problem.errors.map((one) => ({ ...one })) }),
  };
}

interface EngineFailure {
  type: string;
  code?: string;
  message: string;
  at?: string[];
  cause?: EngineFailure;
}

/** What the log has of a failure: no properties of its own, since Node puts whole URLs there, and no URL in its words. */
export function failureOf(error: unknown, depth = 3): EngineFailure {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error)) };
  const { code } = error as NodeJS.ErrnoException;
  const at = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...(typeof code === "string" ? { code } : {}),
    message: redact(error.message),
    ...(at === undefined ? {} : { at: at.slice(0, 12).map((line) => line.trim()) }),
    ...(error.cause === undefined || depth === 0 ? {} : { cause: failureOf(error.cause, depth - 1) }),
  };
}
