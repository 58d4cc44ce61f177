/** Names and literals in MySQL's SQL, for sessions whose sql_mode is pinned (no ANSI_QUOTES, no NO_BACKSLASH_ESCAPES). */

/** a`b → `a``b`. */
export const identifier = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

export const qualified = (...names: readonly string[]): string => names.map(identifier).join(".");

export const literal = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\0", "\\0")}'`;
