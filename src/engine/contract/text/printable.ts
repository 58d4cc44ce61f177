/** Texts for a person: nothing in them that a terminal would obey or a reader would not see. One place for all directions. */

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** On one line: control characters and line ends are written as escapes. What is escaped already stays as it is. */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === "\n" ? "\\n" : escaped(character),
  );

/** On several lines: line ends and tabs stay; marks that turn the direction of text are escaped too. */
export const escapeUnseen = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escaped);
