/** Did-you-mean: the known word nearest to a mistyped one. */

/** The word that is at most two typing errors away (one in a word of three letters), or that begins with what was typed. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const most = word.length > 3 ? 2 : 1;
  const [near] = known.map((name) => ({ name, off: distance(name, word) })).sort((a, b) => a.off - b.off);
  if (near !== undefined && near.off <= most) return near.name;
  const begun = word.length > 1 ? known.filter((name) => name.startsWith(word)) : [];
  return begun.length === 1 ? begun[0] : undefined;
}

/** Letters to change, add or leave out to get from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
