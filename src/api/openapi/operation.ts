import type * as z from "zod";
import type { Attempt } from "../../requests/accounts/attempts.ts";
import type { ProblemCode } from "../../requests/errors.ts";
import type { ProbeCaller } from "../../requests/prober.ts";
import type { Tier } from "../../requests/tiers.ts";
import type { Caller, Identity, World } from "../../requests/world.ts";
import type { TokenScope } from "../../resources/token.ts";

/**
 * One operation of REST: the router, the limits, the checks of input and OpenAPI are all made from this one description.
 * An operation only calls a function of requests/.
 */
export interface Operation {
  /** OpenAPI's operationId, camelCase. */
  id: string;
  method: "get" | "post" | "patch" | "delete";
  /** With OpenAPI's braces: `/api/migrations/{id}`. */
  path: string;
  summary: string;
  description: string;
  tag: string;
  /** `none`: public. `credentials`: public, slowed by account and by address instead of a tier. */
  auth: "token" | "none" | "credentials";
  /** With auth `token`: also for who is no longer in the acting team, since it fixes that. There is only `identity` then. */
  withoutTeam?: true;
  /** With auth `token`: does something for a session's cookie only. */
  sessionOnly?: true;
  tier: Tier | "none";
  /** Of a token that has scopes; by default `read` for a GET and `write` for the rest. `own`: the verb itself looks. */
  scope?: TokenScope | "own";
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Names that the query's schema does not have are left out, not refused: another service writes it. */
  queryOfOthers?: true;
  body?: z.ZodObject;
  /** An empty body passes for `{}`. */
  bodyOptional?: boolean;
  /** A GET that opens an account is audited, as what changes something is. */
  audited?: true;
  /** Takes the header Idempotency-Key. */
  idempotent?: boolean;
  /** Answers by server-sent events: `answer.schema` is of one event's data, and `run` answers a `stream`. */
  streams?: boolean;
  /**
   * `type`: of the body where it is not JSON; then `Answer.body` is the text. `location`: the path of what was made, for the header of that
   * name; in braces where in the body a part of it stands, as a JSON pointer: `/api/migrations/{/migration/id}`.
   */
  answer: { status: number; description: string; schema: z.ZodType; type?: string; location?: string };
  /** Other answers that are no error, which `run` names by `Answer.status`. */
  alsoAnswers?: readonly { status: number; description: string; schema?: z.ZodType }[];
  /** Beside those that every operation has (401, 406, 429, 500, 503 and those of its body). */
  problems: readonly ProblemCode[];
  examples: { request?: unknown; response: unknown };
  run(world: World, call: OperationCall): Promise<OperationResult>;
}

/** Input that was checked. */
export interface OperationCall {
  /** Of an operation with auth `token` it is there. */
  identity?: Identity;
  /** Likewise, but not of one that is `withoutTeam`. */
  caller?: Caller;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  idempotencyKey?: string;
  /** Of a stream that goes on where an earlier one ended. */
  lastEventId?: string;
  asked: ProbeCaller;
  /** As the socket or a trusted proxy told. */
  address: string;
  /** The header. */
  cookie?: string;
  /** Takes one more from another tier: a create that must measure counts as probe too. Throws Problem `rate_limited`. */
  spend(tier: Tier): Promise<void>;
  attempt: Attempt;
}

export interface OperationResult {
  body?: unknown;
  /** Instead of a body, JSON that is too large to be in memory whole: it is read as fast as the caller takes it. */
  large?: { length: number; digest: Buffer; held: number; read: () => AsyncIterable<Buffer> };
  /** Where it is not the operation's own. */
  status?: number;
  headers?: Record<string, string>;
  /** Set as session cookies are: Secure, HttpOnly, SameSite=Lax, Path=/. An age of 0 deletes. */
  cookies?: { name: string; value: string; maxAgeSeconds: number }[];
  /**
   * Of an operation that streams. The next event is asked for when the reader took the last one, so it should tell what is new since
   * then at once, not keep a queue. The signal aborts when the reader is gone, the token no longer holds or this replica ends.
   */
  stream?: (signal: AbortSignal) => AsyncIterable<StreamEvent>;
}

export interface StreamEvent {
  /** What a reader shows as Last-Event-ID to go on after this event. */
  id?: string;
  event: string;
  data: unknown;
}
