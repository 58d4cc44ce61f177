/**
 * The registry of errors: what a user's verb can answer instead of its result. REST and MCP show them; `docs/errors.md`
 * explains each. A code never changes its meaning; words may.
 */
const registry = {
  malformed_request: { status: 400, title: "Malformed request" },
  timed_out: { status: 408, title: "Request timed out" },
  invalid: { status: 422, title: "Invalid request" },
  url_refused: { status: 422, title: "Connection URL not allowed" },
  source_unreachable: { status: 422, title: "Source unreachable" },
  target_unreachable: { status: 422, title: "Target unreachable" },
  estimate_refused: { status: 422, title: "Invalid or expired estimate" },
  idempotency_key_reused: { status: 422, title: "Idempotency-Key already used" },
  unauthenticated: { status: 401, title: "Authentication required" },
  credentials_refused: { status: 401, title: "Wrong e-mail address or password" },
  other_team: { status: 403, title: "Resource of another team" },
  not_a_member: { status: 403, title: "Not a member of the team" },
  owners_only: { status: 403, title: "Team owners only" },
  origin_refused: { status: 403, title: "Origin not allowed" },
  scope_missing: { status: 403, title: "Token scope missing" },
  session_required: { status: 403, title: "Session required" },
  sign_up_closed: { status: 403, title: "Sign-up closed" },
  passwords_disabled: { status: 403, title: "Password sign-in disabled" },
  oidc_refused: { status: 403, title: "OpenID Connect sign-in refused" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  not_acceptable: { status: 406, title: "Not acceptable" },
  state_conflict: { status: 409, title: "Not allowed in this state" },
  already_exists: { status: 409, title: "Already exists" },
  oidc_not_linked: { status: 409, title: "OpenID Connect identity not linked" },
  nothing_to_pay: { status: 409, title: "Nothing to pay" },
  limit_reached: { status: 409, title: "Limit reached" },
  backups_disabled: { status: 409, title: "Backups not enabled" },
  target_not_empty: { status: 409, title: "Target database not empty" },
  body_too_large: { status: 413, title: "Request body too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "Request headers too large" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Service unavailable" },
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
  new Problem("invalid", `${field} ${message}.`, { errors: [{ field, message }] });
