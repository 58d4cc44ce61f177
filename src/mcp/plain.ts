import { cut } from "../guard/text.ts";

/** Text of others as a model is shown it. */

const longestLine = 300;

/** Control, format (tags, turns of direction, zero width) and private characters, half characters, and all else that shows nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** One line that shows all that it holds. */
export function plain(text: string, most = longestLine): string {
  return cut(text.replace(unseen, " ").replace(/ {2,}/g, " ").trim(), most);
}
