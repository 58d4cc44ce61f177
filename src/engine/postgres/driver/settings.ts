import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { literal } from "./names.ts";
import type { Session } from "./session-types.ts";

/**
 * Settings of every session on PostgreSQL. A database or a role may have others by ALTER DATABASE or ALTER ROLE.
 * `lc_monetary` is not in the list: the decimal places of money are those of the database's own locale (money.ts).
 */

/** They change how values and definitions are written or read. Each is read back, and pg_dump's session has them too. */
export const meaningSettings: readonly (readonly [name: string, value: string])[] = [
  ["client_encoding", "UTF8"],
  // A backslash in '…' is a character. With `off`, the server doubles it wherever it writes a definition.
  ["standard_conforming_strings", "on"],
  ["backslash_quote", "safe_encoding"],
  // With `off`, NULL in the text of an array is a string.
  ["array_nulls", "on"],
  ["transform_null_equals", "off"],
  ["TimeZone", "UTC"],
  ["DateStyle", "ISO, YMD"],
  ["IntervalStyle", "postgres"],
  ["extra_float_digits", "3"],
  ["bytea_output", "hex"],
  ["xmloption", "content"],
  ["xmlbinary", "base64"],
];

export const readBackSettings = [...meaningSettings, ["search_path", ""], ["row_security", "off"]] as const;

/** They decide what is found, and how long it may take. */
function conduct({ version, place: { role } }: Session, statementTimeout: number): [string, string][] {
  const pins: [string, string][] = [
    ["search_path", ""],
    // What a server writes of itself has to be read by another version, with other reserved words.
    ["quote_all_identifiers", "on"],
    ["client_min_messages", "warning"],
    ["statement_timeout", String(Math.ceil(statementTimeout * 1000))],
    ["lock_timeout", "0"],
    ["idle_in_transaction_session_timeout", "0"],
    // Hidden rows become an error instead of silence, on the source's reads and on the target's counts.
    ["row_security", "off"],
    ["synchronize_seqscans", "off"],
    // A limit would cut what a GIN index finds.
    ["gin_fuzzy_search_limit", "0"],
    // Compiling a catalogue's query takes longer than the query, and ends it where the server lacks its compiler's library.
    ["jit", "off"],
  ];
  // The server looks whether its client is still there, so that a cut-off worker's long statement ends.
  if (version >= 140_000) pins.push(["client_connection_check_interval", "10000"]);
  if (version >= 170_000) pins.push(["transaction_timeout", "0"]);
  if (version >= 140_000) pins.push(["idle_session_timeout", "0"]);
  const reading = role === "source";
  pins.push(
    ["default_transaction_read_only", reading ? "on" : "off"],
    ["default_transaction_isolation", reading ? "repeatable read" : "read committed"],
  );
  return pins;
}

/** `statementTimeout`: seconds; 0 for no limit. Answers which process of the server it is; a pooler has another number for it. Errors: `setting_not_kept`. */
export async function pin(session: Session, statementTimeout = 0): Promise<Backend> {
  await untimed(session);
  const pins = [...meaningSettings, ...conduct(session, statementTimeout)];
  const calls = pins.map(([name, value]) => `pg_catalog.set_config(${literal(name)}, ${literal(value)}, false)`);
  await session.run(`SELECT ${calls.join(", ")}`);
  // In a second transaction, which a pooler in transaction mode may give to another session.
  const reads = readBackSettings.map(([name], at) => `pg_catalog.current_setting(${literal(name)}) AS s${at}`);
  const [found = {}] = await session.query<Record<string, string>>(
    `SELECT pg_catalog.pg_backend_pid() AS pid, ${begun} AS started, ${reads.join(", ")}`,
  );
  const words = readBackSettings.flatMap(([name, value], at) => {
    const is = found[`s${at}`] ?? "";
    return is === value ? [] : [`${name} is '${printable(is)}'`];
  });
  if (words.length === 0) return { pid: Number(found.pid), begun: found.started ?? "" };
  throw notKept(session.place, words.join(", "));
}

/** A process of the server; its number may be another one's later. */
interface Backend {
  pid: number;
  /** When it began, in the server's words. */
  begun: string;
}

const begun = "(SELECT a.backend_start::text FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a)";

const notKept = ({ role }: Session["place"], why: string): EngineError =>
  new EngineError(
    "setting_not_kept",
    `the ${role} database does not keep the settings of a session (${why}): connect to the server itself, or to a pooler in session mode`,
  );

/** Processes that sessions of this program have now. */
const inUse = new Set<string>();

/**
 * Notes that the session has this process until the answered function is called. Two sessions with one process: a pooler gives it
 * to either for a transaction. Errors: `setting_not_kept`.
 */
export function occupy({ endpoint, role }: Session["place"], backend: Backend): () => void {
  const key = [endpoint.host, endpoint.port, backend.pid, backend.begun].join(" ");
  if (inUse.has(key)) throw notKept({ endpoint, role }, "two sessions share one process of the server");
  inUse.add(key);
  return () => void inUse.delete(key);
}

/** Alone and first: a role's own statement_timeout may be too short for the longer statement that sets the rest. */
async function untimed(session: Session): Promise<void> {
  for (let tries = 10; ; tries--) {
    try {
      await session.run("SET statement_timeout = 0");
      return;
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "cancelled" || tries === 1) throw error;
    }
  }
}

/** pg_dump sets these itself, all but the order of a date's parts, which ISO dates do not have. */
const setByProgram = new Set(["client_encoding", "DateStyle", "IntervalStyle", "extra_float_digits"]);
/** Names for the same zone; the first is that of PostgreSQL's image. */
const utc = new Set(["Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"]);

/**
 * PGOPTIONS for another program's session on the same database. It has only what differs from that session's defaults:
 * some poolers refuse a connection with options.
 */
export async function optionsFor(session: Session): Promise<{ PGOPTIONS?: string }> {
  const wanted = new Map(meaningSettings.filter(([name]) => !setByProgram.has(name)));
  const rows = await session.query<{ name: string; value: string }>(
    `SELECT name, reset_val AS value FROM pg_catalog.pg_settings WHERE name IN (${[...wanted.keys()].map(literal).join(", ")})`,
  );
  const options = rows.flatMap(({ name, value }) => {
    const needed = wanted.get(name);
    return needed === undefined || needed === value || (needed === "UTC" && utc.has(value))
      ? []
      : [`-c ${name}=${needed.replace(/[\\ ]/g, "\\$&")}`];
  });
  return options.length === 0 ? {} : { PGOPTIONS: options.join(" ") };
}
