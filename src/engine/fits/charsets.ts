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
  "hp8",
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
