import { addressRefused, errnoOf, nameRefused } from "../../guard/resolve.ts";
import { BackupError } from "../contract.ts";

/** Errors of a bucket and of the network before it, in words that name the fix. No header and no credential is repeated. */

interface Meaning {
  code: string;
  retryable?: true;
  words: string;
}

const denied: Meaning = {
  code: "storage_denied",
  words:
    "refused the credentials: check the access key, the secret key and what they may do (list, read, write, delete)",
};
const busy: Meaning = { code: "storage_busy", retryable: true, words: "is busy: try again later" };
const unreachable: Meaning = {
  code: "storage_unreachable",
  retryable: true,
  words: "cannot be reached: check the endpoint, its port and the network",
};
const full: Meaning = { code: "storage_full", words: "is full: free space there, or shorten the retention" };
const tls: Meaning = {
  code: "storage_tls",
  words: "has a certificate that cannot be verified: give the CA of its endpoint",
};

/** By the error's name, as S3 or Node calls it. */
const meanings: Record<string, Meaning> = {
  NoSuchBucket: { code: "storage_missing", words: "does not exist: create the bucket, or correct its name" },
  AccessDenied: denied,
  Forbidden: denied,
  InvalidAccessKeyId: denied,
  SignatureDoesNotMatch: denied,
  ExpiredToken: {
    code: "storage_credentials_expired",
    words: "refused the credentials, which have expired: give new ones",
  },
  RequestTimeTooSkewed: {
    code: "storage_clock",
    words: "refused the time of the request: set the clock of this machine, or of the storage",
  },
  QuotaExceeded: full,
  QuotaExceededException: full,
  InsufficientStorage: full,
  XMinioStorageFull: full,
  XMinioAdminBucketQuotaExceeded: full,
  SlowDown: busy,
  ServiceUnavailable: busy,
  InternalError: busy,
  ENOTFOUND: { code: "storage_unreachable", words: "has an endpoint whose name is not known: check the name" },
  EAI_AGAIN: unreachable,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  EPIPE: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  TimeoutError: unreachable,
  NetworkingError: unreachable,
  DEPTH_ZERO_SELF_SIGNED_CERT: tls,
  SELF_SIGNED_CERT_IN_CHAIN: tls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tls,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: tls,
  ERR_TLS_CERT_ALTNAME_INVALID: tls,
  CERT_HAS_EXPIRED: tls,
};

const missing = new Set(["NoSuchKey", "NotFound"]);

export const isMissing = (error: unknown): boolean => error instanceof Error && missing.has(error.name);

export function storageError(error: unknown, { place, name }: { place: string; name: string }): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error;
  if (isMissing(error)) return new BackupError("storage_object_missing", `${place} has no ${name}`, { cause: error });
  const [own, status] = [errnoOf(error), statusOf(error)];
  if (own === "NAME_REFUSED" || own === "NAME_NOT_NOW")
    return new BackupError("storage_unreachable", nameRefused("the storage's endpoint"), {
      retryable: own === "NAME_NOT_NOW",
    });
  if (own === "ADDRESS_REFUSED")
    return new BackupError("storage_address_refused", addressRefused("the storage's endpoint"), { cause: error });
  if (/object.?lock|worm|retention/i.test(error.message) && status !== undefined)
    return new BackupError(
      "storage_locked",
      `${place} keeps ${name} by its object lock: it can be deleted when the lock's time is over`,
      { cause: error },
    );
  // An error of the database that is being read, which passes through here, is not the storage's.
  if (status === undefined && !(own in meanings) && !(error.name in meanings)) return error;
  const found =
    meanings[error.name] ??
    meanings[own] ??
    (status === 507 ? full : status === 503 || status === 500 || status === 429 ? busy : undefined) ??
    (status === 403 || status === 401 ? denied : undefined);
  if (found === undefined)
    return new BackupError(
      "storage_failed",
      `the storage ${place} returned ${shown(error.name)}${status === undefined ? "" : ` (HTTP ${status})`}: contact its administrator`,
      { retryable: status !== undefined && status >= 500, cause: error },
    );
  return new BackupError(found.code, `the storage ${place} ${found.words}`, {
    retryable: found.retryable === true,
    cause: error,
  });
}

const shown = (name: string) => name.replace(/[^A-Za-z0-9_.-]/g, "?").slice(0, 60);

function statusOf(error: Error): number | undefined {
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
