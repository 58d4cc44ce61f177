/**
 * What the API server answered when it refused, parsed once. `code` is Kubernetes' own reason (`NotFound`,
 * `Conflict`, `AlreadyExists`, `Forbidden`, `Invalid`, …) or `Unreachable` when there was no answer.
 * The message is one line, bounded, and holds neither headers nor credentials.
 */
export class ClusterError extends Error {
  readonly code: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Seconds that the server asks to wait. */
  readonly retryAfter?: number;
  /** The server knows the kind and has no object of this name; any other 404 says nothing about an object. */
  readonly absent: boolean;
  /** The namespace is being deleted, so that nothing new can be made in it. */
  readonly namespaceEnds: boolean;
  constructor(
    code: string,
    status: number,
    message: string,
    options: { retryAfter?: number; absent?: boolean; namespaceEnds?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ClusterError";
    this.code = code;
    this.status = status;
    this.absent = options.absent ?? false;
    this.namespaceEnds = options.namespaceEnds ?? false;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

const longest = 600;
/** More is not read: no credential that begins in what is shown is longer, and the search takes the square of it in time. */
const longestRead = 10_000;

/** Takes credentials out of a text that may quote a connection URL or a token, and bounds it. */
export function redact(text: string): string {
  const clean = text
    .slice(0, longestRead)
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'`<>]+/gi, (whole, scheme: string) =>
      /^https?:\/\/$/i.test(scheme) && !whole.includes("@") ? whole : `${scheme}…`,
    )
    .replace(/\bBearer\s+\S+/gi, "Bearer …")
    .replace(/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, "…")
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
}

const byStatus: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** Reads a refusal: a `Status` object where the server sent one, else its HTTP status. */
export function refusal(status: number, body: string, retryAfter?: string): ClusterError {
  let reason = byStatus[status] ?? "Unknown";
  let message = `the API server returned ${status}`;
  let absent = false;
  let namespaceEnds = false;
  try {
    const parsed = JSON.parse(body) as {
      kind?: unknown;
      reason?: unknown;
      message?: unknown;
      details?: { name?: unknown; causes?: { reason?: unknown }[] };
    };
    if (parsed.kind === "Status") {
      if (typeof parsed.reason === "string" && parsed.reason !== "") reason = parsed.reason;
      if (typeof parsed.message === "string" && parsed.message !== "") message = parsed.message;
      absent = reason === "NotFound" && typeof parsed.details?.name === "string";
      namespaceEnds = parsed.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating") ?? false;
    }
  } catch {
    // A proxy's page: its text says nothing that the status does not.
  }
  const seconds = Number(retryAfter);
  return new ClusterError(reason, status, redact(message), {
    ...{ absent, namespaceEnds },
    ...(seconds > 0 ? { retryAfter: seconds } : {}),
  });
}

/** No answer came: the connection failed or the time ran out. */
export function unreachable(cause: unknown): ClusterError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new ClusterError("Unreachable", 0, redact(`the API server cannot be reached: ${text}`), { cause });
}

/**
 * The API server, or a webhook that it asked, would not make an object; the message says why. Not: that it is busy or away, that another
 * writer was first, or that this process may not ask at all.
 */
export const isObjectRefusal = (error: unknown): error is ClusterError =>
  error instanceof ClusterError && ["Forbidden", "Invalid", "BadRequest", "InternalError"].includes(error.code);

/** Throws `NotLeader` where this process may not act any more; before every effect. */
export function assertLeads(leads: () => boolean): void {
  if (!leads()) throw new ClusterError("NotLeader", 0, "this process is not the leader any more");
}

export const isNotFound = (error: unknown): boolean => error instanceof ClusterError && error.absent;
export const isConflict = (error: unknown): boolean => error instanceof ClusterError && error.code === "Conflict";
export const alreadyExists = (error: unknown): boolean =>
  error instanceof ClusterError && error.code === "AlreadyExists";
