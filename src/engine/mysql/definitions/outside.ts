import { outside, piecesOf } from "./definition.ts";

/** Looks at the text of a part of a table outside of its quotes. Pure. */

/** The text of executable comments, without what makes them comments. */
export const unwrapped = (text: string): string =>
  outside(text, (between) => between.replace(/\/\*M?!\d*\s*/g, "").replace(/(?:(?<!\s)\s+)?\*\//g, ""));

/** What is not in quotes. */
export const bare = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.quoted ? "''" : piece.text))
    .join("");

/** Of `words` outside of quotes, or -1. */
export function positionOf(text: string, words: string): number {
  let at = 0;
  for (const piece of piecesOf(text)) {
    const found = piece.quoted ? -1 : piece.text.indexOf(words);
    if (found >= 0) return at + found;
    at += piece.text.length;
  }
  return -1;
}

/** Where the expression that starts there ends: before an attribute that may follow, outside of brackets and quotes. */
export function endOfDefault(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (const { quoted, text: piece } of piecesOf(text.slice(start))) {
    if (!quoted) {
      for (let index = 0; index < piece.length; index++) {
        if (piece[index] === "(") depth++;
        else if (piece[index] === ")") depth--;
        else if (depth === 0 && /^ (?:COMMENT|ON UPDATE|CHECK|INVISIBLE|REF_SYSTEM_ID)\b/.test(piece.slice(index)))
          return at + index;
      }
    }
    at += piece.length;
  }
  return text.length;
}
