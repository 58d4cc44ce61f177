import type { Server } from "./session.ts";

/** What every session is set to, so that neither the server's nor the user's settings change what is read. */
export function pins({ maria, version }: Server): string {
  const settings: [string, string][] = [
    // No PAD_CHAR_TO_FULL_LENGTH, ANSI_QUOTES, NO_BACKSLASH_ESCAPES; id 0 stays 0 where something is written.
    ["sql_mode", "'NO_AUTO_VALUE_ON_ZERO'"],
    ["time_zone", "'+00:00'"],
    // Text comes as UTF-8 whatever its column's character set; binary columns are never converted.
    ["character_set_client", "utf8mb4"],
    ["character_set_connection", "utf8mb4"],
    ["character_set_results", "utf8mb4"],
    // A reader that waits for the target must not be cut off (net_write_timeout is 60 s by default).
    ["net_write_timeout", "31536000"],
    ["net_read_timeout", "31536000"],
    ["wait_timeout", "2147483"],
    // A limit would cut a result without an error.
    ["sql_select_limit", "18446744073709551615"],
    ["sql_big_selects", "1"],
    [maria ? "max_statement_time" : "max_execution_time", "0"],
  ];
  if (maria && version >= 100304) settings.push(["system_versioning_asof", "DEFAULT"]);
  if (!maria && version >= 80000) settings.push(["information_schema_stats_expiry", "0"]);
  if (!maria && version >= 80030) settings.push(["show_gipk_in_create_table_and_information_schema", "ON"]);
  return `SET ${settings.map(([name, value]) => `SESSION ${name} = ${value}`).join(", ")}`;
}
