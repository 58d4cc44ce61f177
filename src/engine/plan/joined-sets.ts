/** What pairs join, directly or through others: each member → the set of all that are joined with it (shared). Pure. */
export function joinedSets(pairs: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>();
  const setOf = (key: string) => {
    const found = sets.get(key) ?? new Set([key]);
    sets.set(key, found);
    return found;
  };
  for (const [a, b] of pairs) {
    const [one, other] = [setOf(a), setOf(b)];
    if (one === other) continue;
    for (const key of other) {
      one.add(key);
      sets.set(key, one);
    }
  }
  return sets;
}
