/** Names and literals in MySQL's SQL, for sessions whose sql_mode is pinned (no ANSI_QUOTES, no NO_BACKSLASH_ESCAPES). */

/** a`b → `a``b`. */
export const identifier = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

export const qualified = (...names: readonly string[]): string => names.map(identifier).join(".");

export const literal = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\0", "\\0")}'`;

/** ` AND column IN (…)` for a query of the server's own catalogue. Its names are compared as the server compares them: what comes is looked up again. */
export const among = (column: string, names: readonly string[]): string =>
  ` AND ${names.length === 0 ? "FALSE" : `${column} IN (${names.map(literal).join(", ")})`}`;

/** What MySQL refuses in any name, replaced: characters beyond the basic plane, where MySQL itself writes ?, and spaces at the end. */
export const keepable = (name: string): string =>
  name.replaceAll(/[\u{10000}-\u{10ffff}\ud800-\udfff\0]/gu, "_").replace(/(?<!\s)\s+$/u, "_");

/**
 * One text for all names that a server may take for one, at least as coarse as any server's way: by upper case, so that ς is
 * σ and ſ is s; İ is i without its dot. `exact`: it tells case apart. `accents`: it may not tell e from é.
 */
export function foldName(
  name: string,
  { exact = false, accents = false }: { exact?: boolean; accents?: boolean },
): string {
  if (exact) return name.normalize("NFC");
  const plain = accents ? name.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(/[ßẞ]/gu, "s") : name;
  return plain.toUpperCase().toLowerCase().replaceAll("\u0307", "").replaceAll("ς", "σ").normalize("NFC");
}
