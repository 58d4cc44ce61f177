import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Server, Session } from "./session-types.ts";

/**
 * Settings of every session on MySQL and MariaDB, whatever the server's own are. `div_precision_increment`,
 * `default_week_format` and `lc_time_names` are not in the list: a target computes generated columns by its own, as its
 * users' sessions do, and generated-columns.ts compares the values.
 */

/** They change how values and definitions are written or read. Each is read back. */
export function meaningSettings({ maria, version }: Server): [name: string, value: string][] {
  const settings: [string, string][] = [
    // No PAD_CHAR_TO_FULL_LENGTH, ANSI_QUOTES, NO_BACKSLASH_ESCAPES; id 0 stays 0 where something is written.
    ["sql_mode", "NO_AUTO_VALUE_ON_ZERO"],
    ["time_zone", "+00:00"],
    // Text comes as UTF-8 whatever its column's character set; binary columns are never converted.
    ["character_set_client", "utf8mb4"],
    ["character_set_connection", "utf8mb4"],
    ["character_set_results", "utf8mb4"],
    // Definitions are parsed by their quotes.
    ["sql_quote_show_create", "1"],
    // `WHERE id IS NULL` finds NULL alone, and not the row that was written last.
    ["sql_auto_is_null", "0"],
    // A limit would cut a result without an error.
    ["sql_select_limit", "18446744073709551615"],
    ["sql_safe_updates", "0"],
    // COMMIT neither begins another transaction nor ends the session.
    ["completion_type", "NO_CHAIN"],
    [maria || version < 80000 ? "tx_read_only" : "transaction_read_only", "0"],
  ];
  // Not utf8mb4, which a server without this word takes `utf8` for.
  if (maria && version >= 100601) settings.push(["old_mode", "UTF8_IS_UTF8MB3"]);
  if (!maria && version >= 80011) settings.push(["show_create_table_verbosity", "0"]);
  return settings;
}

/** The longest that every server takes. */
export const longestIdleSeconds = "2147483";

/** They decide how long a session may take, and what it is shown. */
function conduct({ maria, version }: Server, statementTimeout: number): [name: string, value: string][] {
  const settings: [string, string][] = [
    // A reader that waits for the target must not be cut off (net_write_timeout is 60 s by default).
    ["net_write_timeout", "31536000"],
    ["net_read_timeout", "31536000"],
    ["wait_timeout", longestIdleSeconds],
    ["sql_big_selects", "1"],
    // MySQL limits SELECTs only, in milliseconds; MariaDB everything, in seconds.
    maria
      ? ["max_statement_time", String(Math.ceil(statementTimeout))]
      : ["max_execution_time", String(Math.ceil(statementTimeout * 1000))],
  ];
  if (maria && version >= 100304) settings.push(["system_versioning_asof", "DEFAULT"]);
  if (!maria && version >= 80000) settings.push(["information_schema_stats_expiry", "0"]);
  if (!maria && version >= 80030) settings.push(["show_gipk_in_create_table_and_information_schema", "ON"]);
  return settings;
}

const words = (value: string): string => (/^(?:\d+|DEFAULT|ON)$/.test(value) ? value : `'${value}'`);

/** `statementTimeout`: seconds; 0 for no limit. Errors: `setting_not_kept`. */
export async function pin(session: Session, statementTimeout = 0): Promise<void> {
  await set(session, meaningSettings(session.server), conduct(session.server, statementTimeout));
}

const inOrder = (value: string): string => value.split(",").sort().join();

/** Sets `kept`, which is read back, and `others`. Errors: `setting_not_kept`. */
export async function set(
  session: Session,
  kept: readonly [name: string, value: string][],
  others: readonly [name: string, value: string][] = [],
): Promise<void> {
  const all = [...kept, ...others].map(([name, value]) => `SESSION ${name} = ${words(value)}`);
  await session.query(`SET ${all.join(", ")}`);
  // In a second statement, which a pooler may give to another session.
  const [found = []] = await session.query(`SELECT ${kept.map(([name]) => `@@SESSION.${name}`).join(", ")}`);
  const other = kept.flatMap(([name, value], at) => {
    const is = found[at] ?? "";
    return inOrder(is) === inOrder(value) ? [] : [`${name} is '${printable(is)}'`];
  });
  if (other.length === 0) return;
  throw new EngineError(
    "setting_not_kept",
    `the ${session.place.role} database does not keep the settings of a session (${other.join(", ")}): connect to the server itself, and not through a proxy that shares sessions`,
  );
}
