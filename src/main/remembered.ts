/** Reads once in so many milliseconds for all who ask, by default once for ever. A read that fails is forgotten at once. */
export function remembered<T>(
  read: () => Promise<T>,
  { kept, now }: { kept: number; now: () => number } = { kept: Number.POSITIVE_INFINITY, now: () => 0 },
): () => Promise<T> {
  let last: { at: number; found: Promise<T> } | undefined;
  return () => {
    if (last === undefined || now() - last.at > kept) {
      const entry = { at: now(), found: read() };
      last = entry;
      entry.found.catch(() => {
        if (last === entry) last = undefined;
      });
    }
    return last.found;
  };
}
