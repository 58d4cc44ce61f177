import type { EngineError } from "../../contract/index.ts";
import {
  byErrno,
  cancelled,
  conflict,
  crowded,
  type ErrorOrigin,
  errorOf,
  full,
  lockTimeout,
  lost,
  type Meaning,
  meaning,
  noDatabase,
  permission,
} from "../../contract/server-errors.ts";
import { noPassword } from "../../contract/text/no-password.ts";
import { named } from "../../contract/text/own-property.ts";
import { tlsFix } from "../../contract/text/tls-fix.ts";

/** What a MySQL server or the way to it says, as the engine's errors: a stable code and a sentence to act on. */

/** A server's ERR packet. */
export class MysqlError extends Error {
  readonly number: number;
  constructor(packet: Buffer) {
    // Before the login it has no SQLSTATE, which stands after a sign of its own.
    super(packet.toString("utf8", packet[3] === 0x23 ? 9 : 3));
    this.name = "MysqlError";
    this.number = packet.readUInt16LE(1);
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

const denied = meaning("access_denied", (where, { user, password }, said) =>
  password === ""
    ? `the ${where} refused user "${user}" without a password, and ${noPassword} (${said})`
    : `the ${where} refused user "${user}": check user and password (${said})`,
);
const stopping = meaning("server_shutdown", (where, _, said) => `the ${where} is shutting down (${said})`);
const changed = meaning(
  "source_changed",
  (where, _, said) => `a table of the ${where} was altered while it was copied (${said})`,
);
const timedOut = meaning(
  "statement_timeout",
  (where, _, said) =>
    `a statement on the ${where} took longer than the limit: raise options.statement_timeout (${said})`,
);

/** A length pointed beyond the packet that it stands in. */
const cutShort = meaning(
  "protocol_error",
  (where) => `the ${where} sends packets that end too soon: is it what it seems to be?`,
);

const readOnly = meaning(
  "read_only",
  (where, _, said) => `the ${where} is read-only: name its primary, or switch read_only off there (${said})`,
);
const tooLarge = meaning(
  "row_too_large",
  (where, _, said) => `a row is larger than the ${where} takes: raise max_allowed_packet there and retry (${said})`,
);
const inTheWay = meaning(
  "target_not_empty",
  (where, _, said) =>
    `something of the same name is in the ${where} already: drop it or name an empty database (${said})`,
);
const unsafeCode = meaning(
  "permission_denied",
  (where, { user }, said) =>
    `the ${where} lets user "${user}" make no functions or triggers while its binary log is on: set log_bin_trust_function_creators=1 there, or give the user SUPER (${said})`,
);
const targetChanged = meaning(
  "target_changed",
  (where, _, said) => `a table of the ${where} was altered or dropped while it was copied to (${said})`,
);

/** What means something else where we write. */
const byNumberOnTarget: Record<number, Meaning> = {
  1054: targetChanged,
  1146: targetChanged,
  1412: conflict,
  1030: meaning("database_error", (where, _, said) => `the ${where}'s storage failed (is its disk full?): ${said}`),
  1050: inTheWay,
  1304: inTheWay,
  1359: inTheWay,
  1537: inTheWay,
  1062: meaning(
    "data_refused",
    (where, _, said) =>
      `the ${where} holds two values to be equal in a unique key that are not in the source (${said})`,
  ),
};

const byNumber: Record<number, Meaning> = {
  1045: denied,
  1698: denied,
  1130: meaning("access_denied", (where, _, said) => `the ${where} does not let this host in (${said})`),
  1049: noDatabase,
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
  1206: meaning(
    "lock_table_full",
    (where, _, said) => `the ${where} has no room for so many locks: raise innodb_buffer_pool_size there (${said})`,
  ),
  1197: meaning(
    "transaction_too_large",
    (where, _, said) => `a transaction is too large for the ${where}: raise max_binlog_cache_size there (${said})`,
  ),
  1205: lockTimeout,
  1213: conflict,
  1317: cancelled,
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

/** By the code of an error, beside Node's own. */
const byCode: Readonly<Record<string, Meaning>> = {
  ...byErrno,
  LOST: lost,
  [silent]: meaning(
    "connection_timeout",
    (where, { host, port }) =>
      `the server at ${host}:${port} for the ${where} accepted the connection, but did not greet as MySQL does. If it is PostgreSQL, use postgresql://. Otherwise check port and firewall`,
  ),
  ERR_OUT_OF_RANGE: cutShort,
  ERR_BUFFER_OUT_OF_BOUNDS: cutShort,
  PROTOCOL: meaning("protocol_error", (where, _, said) => `the ${where}: ${said}`),
};
const tlsFailed = meaning("tls_failed", (where, _, said) => `TLS with the ${where} failed: ${said}. ${tlsFix}`);
const unknown = meaning("database_error", (where, _, said) => `${where}: ${said}`);

export const engineError = (error: unknown, origin: ErrorOrigin): EngineError =>
  errorOf(error, origin, (_, errno) => {
    if (error instanceof MysqlError) return meaningOf(error, origin.role);
    const isTls = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL)/.test(errno);
    return named(byCode, errno) ?? (isTls ? tlsFailed : unknown);
  });

function meaningOf({ number, message }: MysqlError, role: ErrorOrigin["role"]): Meaning {
  // Many options answer with 1290 that they forbid a statement.
  if (number === 1290 && /read[-_ ]only/i.test(message)) return readOnly;
  if (number === 1030 && /error 28\b/.test(message)) return full;
  return (
    (role === "target" ? byNumberOnTarget[number] : undefined) ??
    byNumber[number] ??
    meaning("database_error", (where, _, said) => `the ${where} reported: ${said} (error ${number})`)
  );
}
