import type { Unreachable } from "../../prober.ts";

/** The server responded, and refused the login, the user's rights or the kind of connection. */
const responded = new Set([
  "access_denied",
  "database_not_found",
  "permission_denied",
  "tls_failed",
  "tls_required",
  "too_many_connections",
]);
/** Both sides are always tried; one that was reached and asked too much is not called unreachable. */
const unknown = new Set(["probe_timeout", "probe_too_large", "internal_error", "cancelled"]);

/** Whether a server responded; null where the probe ended before that was known. */
export function reachableOf(why: Unreachable | undefined): boolean | null {
  if (why === undefined || responded.has(why.code)) return true;
  return unknown.has(why.code) ? null : false;
}
