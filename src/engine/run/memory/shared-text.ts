/** Longer texts are seldom alike, and are compared in whole. */
const longest = 64;
/** A few hundred KiB. */
const most = 4096;

const known = new Map<string, string>();

/**
 * An equal text that was met before, where it is one of the last few thousand: a catalogue says `varchar(120)` or `NO` once for each
 * column, and every answer would keep its own.
 */
export function sharedText(text: string): string {
  if (text.length > longest) return text;
  const found = known.get(text);
  if (found !== undefined) return found;
  // The frequent ones are soon there again.
  if (known.size === most) known.clear();
  known.set(text, text);
  return text;
}
