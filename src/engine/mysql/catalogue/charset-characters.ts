import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/**
 * What character sets have beyond ASCII, as the inside of a regular expression's brackets, by the set's name. Sets of all of
 * Unicode, and those with several bytes for a character that are no part of it, are left out.
 */
export async function charactersOf(session: Session, charsets: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const [wide, single] = [/^(?:utf8|utf8mb3|ucs2)$/, new Set<string>()];
  for (const name of charsets) if (wide.test(name)) found.set(name, "\\u0080-\\uffff");
  const list = charsets.filter((name) => !wide.test(name)).map(literal);
  if (list.length === 0) return found;
  for (const [name] of await session.query(
    `SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS WHERE MAXLEN = 1 AND CHARACTER_SET_NAME IN (${list.join(", ")})`,
  ))
    if (name && /^\w+$/.test(name) && name !== "binary") single.add(name);
  const bytes = Array.from({ length: 128 }, (_, at) => (128 + at).toString(16)).join("");
  for (const name of single) {
    const [[hex] = []] = await session.query(`SELECT HEX(CONVERT(CONVERT(x'${bytes}' USING ${name}) USING utf8mb4))`);
    // A byte that stands for nothing is a question mark, or the character for none.
    const text = Buffer.from(hex ?? "", "hex")
      .toString()
      .replaceAll(/[\0-\x7f\ufffd]/g, "");
    found.set(name, text);
  }
  return found;
}
