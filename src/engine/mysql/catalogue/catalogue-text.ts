/** Texts of the servers' catalogues, with their escapes undone. Pure. */

/** Labels of `enum('a','b''c')` or `set(…)`, with the catalogue's escapes undone. */
export function labelsOf(columnType: string): string[] {
  const labels: string[] = [];
  const inside = columnType.slice(columnType.indexOf("(") + 1);
  for (const [, body = ""] of inside.matchAll(/'((?:[^'\\]|''|\\[\s\S])*)(?:'|\\?$)/g)) labels.push(unescaped(body));
  return labels;
}

const escapedLetters: Record<string, string> = { "0": "\0", n: "\n", r: "\r", t: "\t", Z: "\u001a", b: "\b" };

/**
 * MySQL's catalogue writes expressions with their quotes and backslashes escaped once more, and the bytes of the texts in
 * them as if each byte were a character.
 */
export const expressionText = (text: string): string =>
  text
    .replace(/\\([\s\S])/g, (_, letter: string) => escapedLetters[letter] ?? letter)
    .replace(
      /(_utf8(?:mb[34])?)('(?:[^'\\]|''|\\[\s\S])*')/g,
      (_, set: string, quoted: string) => set + decoded(quoted),
    );

function decoded(bytes: string): string {
  if (/[^\u0000-\u00ff]/.test(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  return text.includes("\ufffd") ? bytes : text;
}

/** The text of a quoted string without its quotes. */
export const unescaped = (body: string): string =>
  body.replace(/''|\\([\s\S])/g, (_, letter: string | undefined) =>
    letter === undefined ? "'" : (escapedLetters[letter] ?? letter),
  );
