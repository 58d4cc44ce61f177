import { piecesOf } from "./definition.ts";

/** Texts in expressions of which MySQL shows the character set, as in `_latin1'abc'`. Pure. */

/** Our sessions' texts are utf8mb4 without saying so, and MariaDB does not read its own text of an expression that says it. */
export const withoutIntroducers = (text: string): string =>
  piecesOf(text)
    .map(({ quoted, text: piece }, at, all) => (quoted ? piece : piece.replace(said(all[at + 1]?.text ?? ""), "")))
    .join("");

/** What may go before a quoted text: in ASCII alone these sets are alike. */
const said = (quoted: string): RegExp =>
  quoted.startsWith("'") && isAscii(quoted) ? /\b_(?:utf8mb[34]|latin1|ascii)$/ : /\b_utf8mb4$/;

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/**
 * A text of a set other than Unicode's stands in SHOW CREATE TABLE by its own bytes. Those beyond ASCII are letters of
 * another set, or none, to whoever reads the whole as UTF-8.
 */
export const hasOtherBytes = (text: string): boolean =>
  piecesOf(text).some(({ quoted, text: piece }, at, all) => {
    const before = all[at - 1];
    return (
      quoted &&
      piece.startsWith("'") &&
      !isAscii(piece) &&
      before?.quoted === false &&
      /\b_(?!utf8mb[34]$|utf8$|binary$)\w+$/.test(before.text)
    );
  });
