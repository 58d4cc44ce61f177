import { addressRefused, errnoOf, nameRefused } from "../../../guard/resolve.ts";
import type { RunCode } from "../../contract/codes/index.ts";
import { type Endpoint, EngineError } from "../../contract/index.ts";
import { noPassword } from "../../contract/text/no-password.ts";
import { named } from "../../contract/text/own-property.ts";
import { printable } from "../../contract/text/printable.ts";
import { tlsFix } from "../../contract/text/tls-fix.ts";

/**
 * Errors of the driver and of the server, as the engine's: a stable code, a sentence that a user can act on,
 * and whether another attempt may succeed without a person's help.
 */

/** Which database the error speaks of. */
export interface ErrorOrigin {
  role: "source" | "target";
  endpoint: Endpoint;
}

interface Meaning {
  code: RunCode;
  retryable: boolean;
  words(where: string, endpoint: Endpoint, said: string): string;
}

const meaning = (code: RunCode, retryable: boolean, words: Meaning["words"]): Meaning => ({ code, retryable, words });

const lost = meaning("connection_lost", true, (where) => `the connection to the ${where} was lost`);
const denied = meaning("access_denied", false, (where, { user, password }, said) =>
  password === ""
    ? `the ${where} refused user "${user}" without a password, and ${noPassword}${/^SASL/.test(said) ? "" : ` (${said})`}`
    : `the ${where} refused user "${user}": check user, password and pg_hba.conf (${said})`,
);
const unreachable = meaning(
  "connection_timeout",
  true,
  (where) => `the ${where} did not answer in time: check host, port and firewall`,
);
const stopping = meaning("server_shutdown", true, (where, _, said) => `the ${where} ended the session (${said})`);
const conflict = meaning(
  "conflict",
  true,
  (where, _, said) => `another session was in the way on the ${where} (${said})`,
);

const byState: Record<string, Meaning> = {
  "28P01": denied,
  "28000": denied,
  "3D000": meaning(
    "database_not_found",
    false,
    (where, endpoint) => `the ${where} "${endpoint.database}" does not exist: create it or correct the URL`,
  ),
  "53300": meaning(
    "too_many_connections",
    true,
    (where, _, said) => `the ${where} has no free connection: raise max_connections or lower options.jobs (${said})`,
  ),
  "53100": meaning(
    "disk_full",
    false,
    (where, _, said) => `the ${where}'s disk is full: free space and retry (${said})`,
  ),
  "53200": meaning("out_of_memory", true, (where, _, said) => `the ${where} is out of memory (${said})`),
  "42501": meaning(
    "permission_denied",
    false,
    (where, endpoint, said) => `user "${endpoint.user}" lacks a right on the ${where}: ${said}`,
  ),
  // Of a pooler; PostgreSQL has it for a driver's own faults.
  "08P01": meaning(
    "setting_not_kept",
    false,
    (where, _, said) =>
      `the ${where} refuses what a copy needs (${said}): connect to the server itself, or to a pooler in session mode`,
  ),
  "57P01": stopping,
  "57P02": stopping,
  "57P03": stopping,
  "57P05": stopping,
  "57014": meaning("cancelled", true, (where, _, said) => `a statement was cancelled on the ${where} (${said})`),
  "55P03": meaning(
    "lock_timeout",
    true,
    (where, _, said) => `a lock on the ${where} was not free in time: end what holds it and retry (${said})`,
  ),
  "40P01": conflict,
  "40001": conflict,
  "22021": meaning(
    "unsupported_text",
    false,
    (where, _, said) =>
      `a text of the source is none in the encoding of the ${where}: correct it there, or make the target's database with the source's encoding (${said})`,
  ),
  "25006": meaning(
    "read_only",
    false,
    (where) => `the ${where} is read-only (a standby, or default_transaction_read_only is on): name a writable one`,
  ),
  "25P03": meaning(
    "connection_lost",
    true,
    (where) => `the ${where} ended the session for being idle in a transaction`,
  ),
};

const byErrno: Record<string, Meaning> = {
  ENOTFOUND: meaning(
    "host_not_found",
    false,
    (where, endpoint) => `the ${where}'s host "${endpoint.host}" is not known: check the name`,
  ),
  EAI_AGAIN: meaning(
    "host_not_found",
    true,
    (where, endpoint) => `the name of the ${where}'s host "${endpoint.host}" could not be resolved just now`,
  ),
  NAME_REFUSED: meaning("host_not_found", false, (where, { host }) => nameRefused(`the ${where}'s host "${host}"`)),
  NAME_NOT_NOW: meaning("host_not_found", true, (where, { host }) => nameRefused(`the ${where}'s host "${host}"`)),
  ADDRESS_REFUSED: meaning("address_refused", false, (where, { host }) =>
    addressRefused(`the ${where}'s host "${host}"`),
  ),
  ECONNREFUSED: meaning(
    "connection_refused",
    true,
    (where, endpoint) => `nothing listens for the ${where} on ${endpoint.host}:${endpoint.port}: check host and port`,
  ),
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: lost,
  EPIPE: lost,
  ECONNABORTED: lost,
  ERR_STREAM_DESTROYED: lost,
};

const tls = (why: (said: string) => string): Meaning =>
  meaning("tls_failed", false, (where, _, said) => `TLS with the ${where} failed: ${why(said)}`);

/** The answer to the question for TLS was neither yes nor no, or no message of the protocol. */
const otherProtocol = meaning(
  "protocol_error",
  false,
  (where, { host, port }) =>
    `the server at ${host}:${port} for the ${where} does not speak the protocol of PostgreSQL. If it is MySQL or MariaDB, use mysql:// in its URL. Otherwise check the port`,
);

const timedOut = meaning(
  "statement_timeout",
  false,
  (where, _, said) =>
    `a statement on the ${where} took longer than it may: give a longer options.statement_timeout, or 0 (${said})`,
);

const tooLarge = meaning(
  "row_too_large",
  false,
  (where, _, said) =>
    `a row is too large for the ${where}: the limit is about 1 GB as COPY writes it, where bytea takes twice its size. Split the value, or skip the table with options.exclude (${said})`,
);

/** The server's limit of a buffer, in the words of all versions. */
const limit =
  /invalid memory alloc request size|exceeds maximum allowed length|Cannot enlarge string buffer|invalid message length/;

function byMessage(text: string, errno: string): Meaning | undefined {
  if (/Connection terminated|not queryable|socket hang up|was closed/i.test(text)) return lost;
  if (/timeout expired/.test(text)) return unreachable;
  if (/does not support SSL/.test(text))
    return tls(() => "the server does not offer it; use sslmode=prefer or disable, or switch TLS on there");
  if (/error establishing an SSL connection|received invalid response/.test(text)) return otherProtocol;
  if (/^SASL: .*iteration count \d+ exceeds/.test(text))
    return meaning(
      "access_denied",
      false,
      (where, _, said) => `the ${where} asks for an unreasonable SCRAM effort (${said})`,
    );
  if (/^SASL/.test(text)) return denied;
  if (
    /certificate|self.signed|altnames|SSL|TLS/i.test(text) ||
    /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(errno)
  )
    return tls((said) => `${said}. ${tlsFix}`);
  return undefined;
}

/** Five characters of SQLSTATE of a server's error, looked up through causes; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const code = "code" in at && typeof at.code === "string" ? at.code : undefined;
    if (code !== undefined && "severity" in at && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** The server's own words (message, detail), looked up through causes, printable. */
export function serverMessage(error: unknown): string {
  let words = error instanceof Error ? error.message : String(error);
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if ("severity" in at) {
      words = "detail" in at && typeof at.detail === "string" ? `${at.message}: ${at.detail}` : at.message;
    }
  }
  return printable(words.slice(0, mostWords));
}

/** `doing` says in words what was being done, as in `creating index public.a`; it opens the sentence. */
export function engineError(error: unknown, place: ErrorOrigin, doing?: string): EngineError {
  if (error instanceof EngineError) return error;
  const { endpoint, role } = place;
  const state = sqlState(error);
  const errno = errnoOf(error);
  const said = printable(hide(messageOf(error), endpoint.password).slice(0, mostWords));
  const found =
    (state !== undefined && limit.test(serverMessage(error)) ? tooLarge : undefined) ??
    (state === "57014" && /statement timeout/.test(said) ? timedOut : undefined) ??
    (state === undefined ? undefined : (named(byState, state) ?? (state.startsWith("08") ? lost : undefined))) ??
    named(byErrno, errno) ??
    (state === undefined ? byMessage(said, errno) : undefined);
  const before = doing === undefined ? "" : `${doing}: `;
  if (found === undefined) {
    const tail = state === undefined ? "" : ` (SQLSTATE ${state})`;
    return new EngineError("database_error", `${before}the ${role} database reported: ${said}${tail}`, {
      side: role,
      cause: error,
    });
  }
  const words = hide(found.words(`${role} database`, endpoint, said), endpoint.password);
  return new EngineError(found.code, before + words, { retryable: found.retryable, side: role, cause: error });
}

/** Characters of a server's words that are told. */
const mostWords = 4000;

function messageOf(error: unknown): string {
  // Node's "happy eyeballs" hides the addresses' own errors in an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

function hide(text: string, password: string): string {
  return password.length < 3 ? text : text.replaceAll(password, "***");
}

/** What the statement itself is answered by: syntax and names, values, limits, what the server does not have. */
export const isRefusal = (error: unknown): boolean => {
  const state = sqlState(error) ?? "";
  return /^(42|22|54|0A)/.test(state) && state !== "42501";
};

/** The end of a run with `on_object_error: fail`. `what`: kind and name. */
export const schemaRefused = (what: string, error: unknown): EngineError =>
  new EngineError("schema_refused", `making ${printable(what)}: ${serverMessage(error)}`, {
    side: "target",
    cause: error,
  });
