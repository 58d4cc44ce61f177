import { addressRefused, errnoOf, nameRefused } from "../../guard/resolve.ts";
import { isRetryable, type RunCode } from "./codes/index.ts";
import { type Endpoint, EngineError } from "./index.ts";
import { printable } from "./text/printable.ts";

/**
 * Errors of a database server and of the way to it, as the engine's: a stable code, a sentence that a user can act on, and
 * whether another attempt may succeed without a person's help. Here is what both drivers say in the same words.
 */

/** Which database the error speaks of. */
export interface ErrorOrigin {
  role: "source" | "target";
  endpoint: Endpoint;
}

export interface Meaning {
  code: RunCode;
  retryable: boolean;
  /** `where`: as in `source database`. `said`: the server's own words. */
  words(where: string, endpoint: Endpoint, said: string): string;
}

/** `retryable`: as the code is, where it is left out. */
export const meaning = (code: RunCode, words: Meaning["words"], retryable = isRetryable(code)): Meaning => ({
  code,
  retryable,
  words,
});

export const lost = meaning("connection_lost", (where) => `the connection to the ${where} was lost`);
export const unreachable = meaning(
  "connection_timeout",
  (where) => `the ${where} did not answer in time: check host, port and firewall`,
);
export const noDatabase = meaning(
  "database_not_found",
  (where, { database }) => `the ${where} "${database}" does not exist: create it or correct the URL`,
);
export const crowded = meaning(
  "too_many_connections",
  (where, _, said) => `the ${where} has no free connection: raise max_connections or lower options.jobs (${said})`,
);
export const full = meaning(
  "disk_full",
  (where, _, said) => `the ${where}'s disk is full: free space and retry (${said})`,
);
export const permission = meaning(
  "permission_denied",
  (where, { user }, said) => `user "${user}" lacks a right on the ${where}: ${said}`,
);
export const cancelled = meaning(
  "cancelled",
  (where, _, said) => `a statement was cancelled on the ${where} (${said})`,
  true,
);
export const lockTimeout = meaning(
  "lock_timeout",
  (where, _, said) => `a lock on the ${where} was not free in time: end what holds it and retry (${said})`,
);
export const conflict = meaning(
  "conflict",
  (where, _, said) => `another session was in the way on the ${where} (${said})`,
);

const hostOf = (...[where, { host }]: Parameters<Meaning["words"]>): string => `the ${where}'s host "${host}"`;

/** By Node's code of an error. */
export const byErrno: Readonly<Record<string, Meaning>> = {
  ENOTFOUND: meaning("host_not_found", (...of) => `${hostOf(...of)} is not known: check the name`),
  EAI_AGAIN: meaning("host_not_found", (...of) => `the name of ${hostOf(...of)} could not be resolved just now`, true),
  NAME_REFUSED: meaning("host_not_found", (...of) => nameRefused(hostOf(...of))),
  NAME_NOT_NOW: meaning("host_not_found", (...of) => nameRefused(hostOf(...of)), true),
  ADDRESS_REFUSED: meaning("address_refused", (...of) => addressRefused(hostOf(...of))),
  ECONNREFUSED: meaning(
    "connection_refused",
    (where, { host, port }) => `nothing listens for the ${where} on ${host}:${port}: check host and port`,
  ),
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: lost,
  EPIPE: lost,
  ECONNABORTED: lost,
  ERR_STREAM_DESTROYED: lost,
};

/**
 * `find`: what an error means, by the server's words and Node's code. `doing` says in words what was being done, as in
 * `creating index public.a`; it opens the sentence.
 */
export function errorOf(
  error: unknown,
  { role, endpoint }: ErrorOrigin,
  find: (said: string, errno: string) => Meaning,
  doing?: string,
): EngineError {
  if (error instanceof EngineError) return error;
  const said = printable(hide(messageOf(error), endpoint.password).slice(0, mostWords));
  const { code, retryable, words } = find(said, errnoOf(error));
  const before = doing === undefined ? "" : `${doing}: `;
  const message = hide(words(`${role} database`, endpoint, said), endpoint.password);
  return new EngineError(code, before + message, { retryable, side: role, cause: error });
}

/** Characters of a server's words that are told. */
export const mostWords = 4000;

function messageOf(error: unknown): string {
  // Node's "happy eyeballs" hides the addresses' own errors in an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

const hide = (text: string, password: string): string =>
  password.length < 3 ? text : text.replaceAll(password, "***");
