/**
 * The registry of errors: what a user's verb can answer instead of its result. REST and MCP show them; `docs/errors.md`
 * explains each. A code never changes its meaning; words may.
 */
const registry = {
  malformed_request: { status: 400, title: "This is not a request that the server reads" },
  timed_out: { status: 408, title: "The request took too long to arrive" },
  invalid: { status: 422, title: "The request is not valid" },
  url_refused: { status: 422, title: "A connection URL is not accepted" },
  source_unreachable: { status: 422, title: "The source cannot be measured" },
  target_unreachable: { status: 422, title: "The target cannot be reached" },
  estimate_refused: { status: 422, title: "The estimate does not hold for this request" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used for another request" },
  unauthenticated: { status: 401, title: "Authentication required" },
  credentials_refused: { status: 401, title: "E-mail address or password is wrong" },
  other_team: { status: 403, title: "It belongs to another team" },
  not_a_member: { status: 403, title: "You are not in this team" },
  owners_only: { status: 403, title: "Only an owner of the team may do this" },
  origin_refused: { status: 403, title: "The request comes from a foreign page" },
  scope_missing: { status: 403, title: "The token's scopes do not allow this" },
  session_required: { status: 403, title: "Only a session may do this" },
  sign_up_closed: { status: 403, title: "Sign-up is closed" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  not_acceptable: { status: 406, title: "The answer is JSON" },
  state_conflict: { status: 409, title: "Its state does not allow this" },
  already_exists: { status: 409, title: "It exists already" },
  nothing_to_pay: { status: 409, title: "There is nothing to pay" },
  limit_reached: { status: 409, title: "A limit is reached" },
  backups_disabled: { status: 409, title: "Backups are not enabled" },
  target_not_empty: { status: 409, title: "The target database is not empty" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body is not JSON" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "An error that was not expected" },
  unavailable: { status: 503, title: "Not available at the moment" },
  busy: { status: 503, title: "Server busy" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof registry;
export const problems: Readonly<Record<ProblemCode, { status: number; title: string }>> = registry;

/** Seconds, where nobody knows better. */
const usualWait = 2;

/** One field that is not right: `field` as a path with dots, `message` with the fix. */
export interface FieldError {
  field: string;
  message: string;
}

/** `detail` is a sentence for the caller, with the fix; it never holds a URL, a password or another account's data. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next try; every 503 has it. */
  readonly retryAfter?: number;
  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: readonly FieldError[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "Problem";
    this.code = code;
    this.status = registry[code].status;
    if (more.errors !== undefined) this.errors = more.errors;
    const wait = more.retryAfter ?? (this.status === 503 ? usualWait : undefined);
    if (wait !== undefined) this.retryAfter = wait;
  }
}

/** Problem `invalid` of one field, whose `message` names the fix. */
export const invalidField = (field: string, message: string): Problem =>
  new Problem("invalid", `${field}: ${message}`, { errors: [{ field, message }] });
