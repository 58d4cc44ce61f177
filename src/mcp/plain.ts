/** Text of others as a model is shown it. */

const longestLine = 300;

/** Control, format (tags, turns of direction, zero width) and private characters, half characters, and whatever else shows nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** One line that shows all that it holds. */
export function plain(text: string, most = longestLine): string {
  const line = text.replace(unseen, " ").replace(/ {2,}/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
