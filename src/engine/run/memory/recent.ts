/** What was asked for lately is at hand; the rest is made again, so that a large number of things need not be kept. */

/** `make` gives equal things for equal keys. At most `most` are kept. */
export function createRecent<Key, Value>(make: (key: Key) => Value, most: number): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const found = kept.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    if (kept.size >= most) kept.delete(kept.keys().next().value as Key);
    kept.set(key, made);
    return made;
  };
}
