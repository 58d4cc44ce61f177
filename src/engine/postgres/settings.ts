import { EngineError } from "../contract.ts";
import type { Session } from "./connection.ts";
import { literal, printable } from "./names.ts";

/**
 * Settings of every session on PostgreSQL. A database or a role may have others by ALTER DATABASE or ALTER ROLE.
 * `lc_monetary` is not in the list: the decimal places of money are those of the database's own locale.
 */

/** They change how values and definitions are written or read. Each is read back, and pg_dump's session has them too. */
export const meaning: readonly (readonly [name: string, value: string])[] = [
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

/** Those that are read back. */
export const kept = [...meaning, ["search_path", ""], ["row_security", "off"]] as const;

/** They decide what is found, and how long it may take. */
function conduct({ version, place: { role } }: Session, statementSeconds: number): [string, string][] {
  const pins: [string, string][] = [
    ["search_path", ""],
    // What a server writes of itself has to be read by another version, with other reserved words.
    ["quote_all_identifiers", "on"],
    ["client_min_messages", "warning"],
    ["statement_timeout", String(Math.round(statementSeconds * 1000))],
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

/** Errors: `setting_not_kept`. */
export async function pin(session: Session, statementSeconds: number): Promise<void> {
  await untimed(session);
  const pins = [...meaning, ...conduct(session, statementSeconds)];
  const calls = pins.map(([name, value]) => `pg_catalog.set_config(${literal(name)}, ${literal(value)}, false)`);
  await session.run(`SELECT ${calls.join(", ")}`);
  // In a second transaction, which a pooler in transaction mode may give to another session.
  const reads = kept.map(([name], at) => `pg_catalog.current_setting(${literal(name)}) AS s${at}`);
  const [found = {}] = await session.query<Record<string, string>>(`SELECT ${reads.join(", ")}`);
  const words = kept.flatMap(([name, value], at) => {
    const is = found[`s${at}`] ?? "";
    return is === value ? [] : [`${name} is '${printable(is)}'`];
  });
  if (words.length === 0) return;
  throw new EngineError(
    "setting_not_kept",
    `the ${session.place.role} database does not keep the settings of a session (${words.join(", ")}): connect to the server itself, or to a pooler in session mode`,
  );
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

/**
 * PGOPTIONS for another program's session on the same database. It has only what differs from that session's defaults:
 * some poolers refuse a connection with options.
 */
export async function optionsFor(session: Session): Promise<{ PGOPTIONS?: string }> {
  // The program sets its own encoding.
  const wanted = new Map(meaning.filter(([name]) => name !== "client_encoding"));
  const rows = await session.query<{ name: string; value: string }>(
    `SELECT name, reset_val AS value FROM pg_catalog.pg_settings WHERE name IN (${[...wanted.keys()].map(literal).join(", ")})`,
  );
  const options = rows.flatMap(({ name, value }) => {
    const needed = wanted.get(name);
    return needed === undefined || needed === value ? [] : [`-c ${name}=${needed.replace(/[\\ ]/g, "\\$&")}`];
  });
  return options.length === 0 ? {} : { PGOPTIONS: options.join(" ") };
}
