import { addressRefused, errnoOf, nameRefused } from "../../../guard/resolve.ts";
import type { RunCode } from "../../contract/codes/index.ts";
import { type Endpoint, EngineError } from "../../contract/index.ts";
import { noPassword } from "../../contract/text/no-password.ts";
import { printable } from "../../contract/text/printable.ts";
import { tlsFix } from "../../contract/text/tls-fix.ts";
import type { ServerError } from "./wire.ts";

/** What a MySQL server or the way to it says, as the engine's errors: a stable code and a sentence to act on. */

/** A server's ERR packet. */
export class MysqlError extends Error {
  readonly number: number;
  readonly state: string;
  constructor({ number, state, message }: ServerError) {
    super(message);
    this.name = "MysqlError";
    this.number = number;
    this.state = state;
  }
}

/** As an errno: connected, and no greeting came. */
export const silent = "SILENT";

/** The server hung up. */
export class LostError extends Error {
  readonly code = "LOST";
}

/** The server did not keep to the protocol, or wants what we do not do. */
export class ProtocolError extends Error {
  readonly code = "PROTOCOL";
}

export interface ErrorOrigin {
  role: "source" | "target";
  endpoint: Endpoint;
}

type Words = (where: string, endpoint: Endpoint, said: string) => string;
type Meaning = readonly [code: RunCode, retryable: boolean, words: Words];

const denied: Meaning = [
  "access_denied",
  false,
  (where, { user, password }, said) =>
    password === ""
      ? `the ${where} refused user "${user}" without a password, and ${noPassword} (${said})`
      : `the ${where} refused user "${user}": check user and password (${said})`,
];
const permission: Meaning = [
  "permission_denied",
  false,
  (where, { user }, said) => `user "${user}" lacks a right on the ${where}: ${said}`,
];
const lost: Meaning = ["connection_lost", true, (where) => `the connection to the ${where} was lost`];
const stopping: Meaning = ["server_shutdown", true, (where, _, said) => `the ${where} is shutting down (${said})`];
const crowded: Meaning = [
  "too_many_connections",
  true,
  (where, _, said) => `the ${where} has no free connection: raise max_connections or lower options.jobs (${said})`,
];
const full: Meaning = [
  "disk_full",
  false,
  (where, _, said) => `the ${where}'s disk is full: free space and retry (${said})`,
];
const unreachable: Meaning = [
  "connection_timeout",
  true,
  (where) => `the ${where} did not answer in time: check host, port and firewall`,
];
const changed: Meaning = [
  "source_changed",
  true,
  (where, _, said) => `a table of the ${where} was altered while it was copied (${said})`,
];
const timedOut: Meaning = [
  "statement_timeout",
  false,
  (where, _, said) =>
    `a statement on the ${where} took longer than the limit: raise options.statement_timeout (${said})`,
];

/** A length pointed beyond the packet that it stands in. */
const cutShort: Meaning = [
  "protocol_error",
  false,
  (where) => `the ${where} sends packets that end too soon: is it what it seems to be?`,
];

const readOnly: Meaning = [
  "read_only",
  false,
  (where, _, said) => `the ${where} is read-only: name its primary, or switch read_only off there (${said})`,
];
const tooLarge: Meaning = [
  "row_too_large",
  false,
  (where, _, said) => `a row is larger than the ${where} takes: raise max_allowed_packet there and retry (${said})`,
];
const inTheWay: Meaning = [
  "target_not_empty",
  false,
  (where, _, said) =>
    `something of the same name is in the ${where} already: drop it or name an empty database (${said})`,
];
const unsafeCode: Meaning = [
  "permission_denied",
  false,
  (where, { user }, said) =>
    `the ${where} lets user "${user}" make no functions or triggers while its binary log is on: set log_bin_trust_function_creators=1 there, or give the user SUPER (${said})`,
];
const targetChanged: Meaning = [
  "target_changed",
  false,
  (where, _, said) => `a table of the ${where} was altered or dropped while it was copied to (${said})`,
];

/** What means something else where we write. */
const byNumberOnTarget: Record<number, Meaning> = {
  1054: targetChanged,
  1146: targetChanged,
  1412: ["conflict", true, (where, _, said) => `another session was in the way on the ${where} (${said})`],
  1030: ["database_error", false, (where, _, said) => `the ${where}'s storage failed (is its disk full?): ${said}`],
  1050: inTheWay,
  1304: inTheWay,
  1359: inTheWay,
  1537: inTheWay,
  1062: [
    "data_refused",
    false,
    (where, _, said) =>
      `the ${where} holds two values to be equal in a unique key that are not in the source (${said})`,
  ],
};

const byNumber: Record<number, Meaning> = {
  1045: denied,
  1698: denied,
  1130: ["access_denied", false, (where, _, said) => `the ${where} does not let this host in (${said})`],
  1049: [
    "database_not_found",
    false,
    (where, { database }) => `the ${where} "${database}" does not exist: create it or correct the URL`,
  ],
  1044: permission,
  1142: permission,
  1143: permission,
  1227: permission,
  1370: permission,
  1040: crowded,
  1203: crowded,
  1226: crowded,
  1053: stopping,
  1079: stopping,
  1927: stopping,
  1021: full,
  1114: full,
  3019: full,
  1792: readOnly,
  1836: readOnly,
  1874: readOnly,
  1153: tooLarge,
  1301: tooLarge,
  1418: unsafeCode,
  1419: unsafeCode,
  1206: [
    "lock_table_full",
    false,
    (where, _, said) => `the ${where} has no room for so many locks: raise innodb_buffer_pool_size there (${said})`,
  ],
  1197: [
    "transaction_too_large",
    false,
    (where, _, said) => `a transaction is too large for the ${where}: raise max_binlog_cache_size there (${said})`,
  ],
  1205: [
    "lock_timeout",
    true,
    (where, _, said) => `a lock on the ${where} was not free in time: end what holds it and retry (${said})`,
  ],
  1213: ["conflict", true, (where, _, said) => `another session was in the way on the ${where} (${said})`],
  1317: ["cancelled", true, (where, _, said) => `a statement was cancelled on the ${where} (${said})`],
  3024: timedOut,
  1969: timedOut,
  1412: changed,
  1146: changed,
  1054: changed,
  1158: lost,
  1159: lost,
  1160: lost,
  1161: lost,
  4031: lost,
};

const byErrno: Record<string, Meaning> = {
  LOST: lost,
  ECONNRESET: lost,
  EPIPE: lost,
  ECONNABORTED: lost,
  ERR_STREAM_DESTROYED: lost,
  ENOTFOUND: [
    "host_not_found",
    false,
    (where, { host }) => `the ${where}'s host "${host}" is not known: check the name`,
  ],
  EAI_AGAIN: [
    "host_not_found",
    true,
    (where, { host }) => `the name of the ${where}'s host "${host}" could not be resolved just now`,
  ],
  NAME_REFUSED: ["host_not_found", false, (where, { host }) => nameRefused(`the ${where}'s host "${host}"`)],
  NAME_NOT_NOW: ["host_not_found", true, (where, { host }) => nameRefused(`the ${where}'s host "${host}"`)],
  ADDRESS_REFUSED: ["address_refused", false, (where, { host }) => addressRefused(`the ${where}'s host "${host}"`)],
  ECONNREFUSED: [
    "connection_refused",
    true,
    (where, { host, port }) => `nothing listens for the ${where} on ${host}:${port}: check host and port`,
  ],
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  [silent]: [
    "connection_timeout",
    true,
    (where, { host, port }) =>
      `the server at ${host}:${port} for the ${where} accepted the connection, but did not greet as MySQL does. If it is PostgreSQL, use postgresql://. Otherwise check port and firewall`,
  ],
  ERR_OUT_OF_RANGE: cutShort,
  ERR_BUFFER_OUT_OF_BOUNDS: cutShort,
  PROTOCOL: ["protocol_error", false, (where, _, said) => `the ${where}: ${said}`],
};

/** `doing` opens the sentence, as in `reading shop.orders`. */
export function engineError(error: unknown, { role, endpoint }: ErrorOrigin, doing?: string): EngineError {
  if (error instanceof EngineError) return error;
  const where = `${role} database`;
  const errno = errnoOf(error);
  const said = printable(hide(messageOf(error), endpoint.password).slice(0, mostWords));
  const before = doing === undefined ? "" : `${doing}: `;
  const found = error instanceof MysqlError ? meaningOf(error, role) : byErrno[errno];
  if (found !== undefined) {
    const [code, retryable, words] = found;
    return new EngineError(code, before + hide(words(where, endpoint, said), endpoint.password), {
      retryable,
      side: role,
      cause: error,
    });
  }
  if (error instanceof MysqlError) {
    return new EngineError("database_error", `${before}the ${where} reported: ${said} (error ${error.number})`, {
      side: role,
      cause: error,
    });
  }
  if (/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL)/.test(errno)) {
    return new EngineError("tls_failed", `TLS with the ${where} failed: ${said}. ${tlsFix}`, {
      side: role,
      cause: error,
    });
  }
  return new EngineError("database_error", `${before}${where}: ${said}`, { side: role, cause: error });
}

function meaningOf({ number, message }: MysqlError, role: ErrorOrigin["role"]): Meaning | undefined {
  // Many options answer with 1290 that they forbid a statement.
  if (number === 1290 && /read[-_ ]only/i.test(message)) return readOnly;
  if (number === 1030 && /error 28\b/.test(message)) return full;
  return (role === "target" ? byNumberOnTarget[number] : undefined) ?? byNumber[number];
}

/** Characters of a server's words that are told. */
const mostWords = 4000;

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

const hide = (text: string, password: string): string =>
  password.length < 3 ? text : text.replaceAll(password, "***");
