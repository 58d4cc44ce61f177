import { EngineError } from "../../contract/index.ts";
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
  mostWords,
  noDatabase,
  permission,
  unreachable,
} from "../../contract/server-errors.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { noPassword } from "../../contract/text/no-password.ts";
import { named } from "../../contract/text/own-property.ts";
import { printable } from "../../contract/text/printable.ts";
import { tlsFix } from "../../contract/text/tls-fix.ts";

/**
 * Errors of the driver and of the server, as the engine's: a stable code, a sentence that a user can act on,
 * and whether another attempt may succeed without a person's help.
 */

const denied = meaning("access_denied", (where, { user, password }, said) =>
  password === ""
    ? `the ${where} refused user "${user}" without a password, and ${noPassword}${/^SASL/.test(said) ? "" : ` (${said})`}`
    : `the ${where} refused user "${user}": check user, password and pg_hba.conf (${said})`,
);
const stopping = meaning("server_shutdown", (where, _, said) => `the ${where} ended the session (${said})`);
const byState: Record<string, Meaning> = {
  "28P01": denied,
  "28000": denied,
  "3D000": noDatabase,
  "53300": crowded,
  "53100": full,
  "53200": meaning("out_of_memory", (where, _, said) => `the ${where} is out of memory (${said})`),
  "42501": permission,
  // Of a pooler; PostgreSQL has it for a driver's own faults.
  "08P01": meaning(
    "setting_not_kept",
    (where, _, said) =>
      `the ${where} refuses what a copy needs (${said}): connect to the server itself, or to a pooler in session mode`,
  ),
  "57P01": stopping,
  "57P02": stopping,
  "57P03": stopping,
  "57P05": stopping,
  "57014": cancelled,
  "55P03": lockTimeout,
  "40P01": conflict,
  "40001": conflict,
  "22021": meaning(
    "unsupported_text",
    (where, _, said) =>
      `a text of the source is none in the encoding of the ${where}: correct it there, or make the target's database with the source's encoding (${said})`,
  ),
  "25006": meaning(
    "read_only",
    (where) => `the ${where} is read-only (a standby, or default_transaction_read_only is on): name a writable one`,
  ),
  "25P03": meaning("connection_lost", (where) => `the ${where} ended the session for being idle in a transaction`),
};

const tls = (why: (said: string) => string): Meaning =>
  meaning("tls_failed", (where, _, said) => `TLS with the ${where} failed: ${why(said)}`);

/** The answer to the question for TLS was neither yes nor no, or no message of the protocol. */
const otherProtocol = meaning(
  "protocol_error",
  (where, { host, port }) =>
    `the server at ${host}:${port} for the ${where} does not speak the protocol of PostgreSQL. If it is MySQL or MariaDB, use mysql:// in its URL. Otherwise check the port`,
);

const timedOut = meaning(
  "statement_timeout",
  (where, _, said) =>
    `a statement on the ${where} took longer than it may: give a longer options.statement_timeout, or 0 (${said})`,
);

const tooLarge = meaning(
  "row_too_large",
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
    return meaning("access_denied", (where, _, said) => `the ${where} asks for an unreasonable SCRAM effort (${said})`);
  if (/^SASL/.test(text)) return denied;
  if (
    /certificate|self.signed|altnames|SSL|TLS/i.test(text) ||
    /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(errno)
  )
    return tls((said) => `${said}. ${tlsFix}`);
  return undefined;
}

/** As the driver gives a server's error. */
type ServerError = Error & Partial<Record<"code" | "detail" | "where" | "schema" | "table", string>>;

/** The server's own error, looked up through causes. */
function serverError(error: unknown): ServerError | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if ("severity" in at) return at;
  return undefined;
}

/** Five characters of SQLSTATE of a server's error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const { code } = serverError(error) ?? {};
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The server's own words (message, detail), printable. */
export function serverMessage(error: unknown): string {
  const found = serverError(error);
  const words = found?.message ?? (error instanceof Error ? error.message : String(error));
  return printable((found?.detail === undefined ? words : `${words}: ${found.detail}`).slice(0, mostWords));
}

/** `doing`: as in `errorOf`. */
export const engineError = (error: unknown, origin: ErrorOrigin, doing?: string): EngineError =>
  errorOf(error, origin, (said, errno) => meaningOf(error, said, errno), doing);

function meaningOf(error: unknown, said: string, errno: string): Meaning {
  const state = sqlState(error);
  if (state !== undefined && limit.test(serverMessage(error))) return tooLarge;
  if (state === "57014" && /statement timeout/.test(said)) return timedOut;
  const tail = state === undefined ? "" : ` (SQLSTATE ${state})`;
  return (
    (state === undefined ? undefined : (named(byState, state) ?? (state.startsWith("08") ? lost : undefined))) ??
    named(byErrno, errno) ??
    (state === undefined ? byMessage(said, errno) : undefined) ??
    meaning("database_error", (where) => `the ${where} reported: ${said}${tail}`)
  );
}

/** What the statement itself is answered by: syntax and names, values, limits, what the server does not have. */
export const isRefusal = (error: unknown): boolean => {
  const state = sqlState(error) ?? "";
  return /^(42|22|54|0A)/.test(state) && state !== "42501";
};

/** An answer to a value that is written: the value itself, a condition that it breaks, a limit, what a trigger or check raises. */
export const isRefusedValue = (error: unknown): boolean => /^(2[23]|54|P0)/.test(sqlState(error) ?? "");

/** The column at which COPY met the error, by the server's context: `COPY t, line 1, column c: "…"`. */
export function columnAt<Column extends { name: string }>(
  error: unknown,
  columns: readonly Column[],
): Column | undefined {
  const { where = "" } = serverError(error) ?? {};
  return columns.find(({ name }) => where.includes(`, column ${name}: `));
}

/** The table whose rows are equal in a unique index; not where two sessions make one object at a time. */
export function doubledIn(error: unknown): string | undefined {
  const { schema, table } = serverError(error) ?? {};
  const found = sqlState(error) === "23505" && schema !== undefined && schema !== "pg_catalog" && table !== undefined;
  return found ? fullName(schema, table) : undefined;
}

/** The end of a run with `on_object_error: fail`. `what`: kind and name. */
export const schemaRefused = (what: string, error: unknown): EngineError =>
  new EngineError("schema_refused", `making ${printable(what)}: ${serverMessage(error)}`, {
    side: "target",
    cause: error,
  });
