import { isPostgres, type Place, sql } from "../chaos/contents.ts";
import type { Random } from "../chaos/random.ts";
import { engineOf, type Server } from "./kinds/index.ts";

/**
 * Settings that change how a server parses and writes, as a database's or a server's default while a copy runs. The
 * readers of a case set their own, so that only the engine is exposed to these.
 */
export type Settings = readonly (readonly [name: string, value: string])[];

const choices: Record<Server, readonly (readonly [name: string, values: readonly string[]])[]> = {
  postgres: [
    ["standard_conforming_strings", ["off"]],
    ["backslash_quote", ["on", "off"]],
    ["bytea_output", ["escape"]],
    ["array_nulls", ["off"]],
    ["transform_null_equals", ["on"]],
    ["extra_float_digits", ["-15", "0"]],
    ["DateStyle", ["German, DMY", "SQL, MDY", "Postgres, YMD"]],
    ["IntervalStyle", ["sql_standard", "iso_8601", "postgres_verbose"]],
    ["TimeZone", ["Asia/Kathmandu", "America/St_Johns"]],
    ["xmloption", ["document"]],
    ["client_encoding", ["LATIN1"]],
    ["search_path", ["pg_catalog"]],
    ["quote_all_identifiers", ["off", "on"]],
    ["lc_monetary", ["POSIX", "C.utf8"]],
    ["default_transaction_isolation", ["serializable"]],
    ["default_transaction_read_only", ["on"]],
    ["statement_timeout", ["1min"]],
  ],
  mysql: [
    [
      "sql_mode",
      ["ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES", "ANSI,TRADITIONAL", "PAD_CHAR_TO_FULL_LENGTH", ""],
    ],
    ["sql_quote_show_create", ["0"]],
    ["time_zone", ["+05:45", "-03:30"]],
    ["sql_safe_updates", ["1"]],
    ["sql_auto_is_null", ["1"]],
    ["autocommit", ["0"]],
    ["completion_type", ["1"]],
    ["div_precision_increment", ["0"]],
    ["character_set_server", ["latin1", "utf16"]],
  ],
  mariadb: [
    [
      "sql_mode",
      [
        "ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES",
        "ORACLE",
        "PAD_CHAR_TO_FULL_LENGTH,EMPTY_STRING_IS_NULL",
        "",
      ],
    ],
    ["sql_quote_show_create", ["0"]],
    ["time_zone", ["+05:45", "-03:30"]],
    ["sql_safe_updates", ["1"]],
    ["sql_auto_is_null", ["1"]],
    ["autocommit", ["0"]],
    ["completion_type", ["1"]],
    ["old_mode", [""]],
    ["character_set_server", ["latin1", "utf16"]],
  ],
};

/** None for half of the databases. */
export function randomSettings(random: Random, server: Server): Settings {
  if (random.below(2) === 0) return [];
  return choices[server].flatMap(([name, values]) => {
    const value = random.pick(values);
    return random.below(3) === 0 ? [[name, value] as const] : [];
  });
}

const text = (value: string): string => (/^-?\d+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`);

/** What a person types before the copy. */
export const settingWords = (server: Server, database: string, settings: Settings): string[] =>
  settings.map(([name, value]) =>
    engineOf(server) === "postgres"
      ? `ALTER DATABASE ${database} SET ${name} = ${name === "DateStyle" ? value : text(value)}`
      : `SET GLOBAL ${name} = ${text(value)}`,
  );

/** Applies the settings while `work` runs. MySQL's are those of its server, so two places there share the first one's. */
export async function under<T>(places: readonly [Place, Settings][], work: () => Promise<T>): Promise<T> {
  const undo: [Place, string][] = [];
  const done = new Set<unknown>();
  try {
    for (const [place, settings] of places) {
      if (settings.length === 0) continue;
      const { server, database } = place;
      const outside = { server, database: new URL(server.adminUrl).pathname.slice(1) };
      if (isPostgres(place)) {
        undo.push([outside, `ALTER DATABASE ${database} RESET ALL`]);
        for (const words of settingWords("postgres", database, settings)) await sql(outside, words);
        continue;
      }
      if (done.has(server)) continue;
      done.add(server);
      const [before = []] = await sql(outside, `SELECT ${settings.map(([name]) => `@@GLOBAL.${name}`).join(", ")}`);
      undo.push([outside, settings.map(([name], n) => `SET GLOBAL ${name} = ${text(before[n] ?? "")}`).join("; ")]);
      for (const words of settingWords("mysql", database, settings)) await sql(outside, words);
    }
    return await work();
  } finally {
    for (const [place, words] of undo) await sql(place, words);
  }
}
