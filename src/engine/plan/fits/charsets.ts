/** Which of MySQL's character sets have every character of another. Pure. */

/** Every character of theirs is in Unicode, and every byte stands for one. */
const without = new Set([
  "ascii",
  "latin1",
  "latin2",
  "utf8mb3",
  "ucs2",
  "cp850",
  "cp852",
  "cp866",
  "koi8r",
  "koi8u",
  "latin5",
  "latin7",
  "armscii8",
  "keybcs2",
  "macce",
  "macroman",
]);
/** In the first 65,536 characters of Unicode. */
const basic = new Set(["utf8mb3", "ucs2"]);

/** Whether a text of the set `from` (undefined: of all of Unicode) keeps every character in the set `to`. */
export function intoMysqlCharset(from: string | undefined, to: string): boolean {
  if (from === to || from === "ascii") return true;
  if (from === undefined) return to === "utf8mb4";
  return (to === "utf8mb4" || basic.has(to)) && without.has(from);
}

/** One name for the set that older servers call `utf8`. */
export const usualCharset = (name: string | null): string | null => (name === "utf8" ? "utf8mb3" : name);

/** Sets of all of Unicode, and of bytes. */
const unicode = new Set(["utf8", "utf8mb4", "utf16", "utf16le", "utf32", "gb18030", "binary", "ascii"]);

/** Whether some bytes of a set stand for no character of Unicode: such a byte is read as a question mark. */
export const hasGaps = (charset: string | null): boolean =>
  charset !== null && !without.has(charset) && !unicode.has(charset);
