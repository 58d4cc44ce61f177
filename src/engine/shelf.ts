import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Values that are kept for a whole run and needed now and then, as compressed bytes outside of the heap: what is known of
 * ten thousand tables does not fit into a worker's as objects.
 */
export interface Shelf<T> {
  /** `value`: what JSON keeps. Answers its place. */
  put(value: T): number;
  /** A copy of its own. */
  get(place: number): T;
}

/** Values lie in blocks of this size; a larger one has a block of its own. */
const blockBytes = 1 << 20;
/** Less than zlib's usual: a value is some kilobytes long, and the state is made for each. */
const compression = { level: 1, windowBits: 13, memLevel: 6 };

export function createShelf<T>(): Shelf<T> {
  let block = Buffer.alloc(0);
  let filled = 0;
  const blocks: Buffer[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  return {
    put(value) {
      const bytes = deflateRawSync(JSON.stringify(value), compression);
      if (filled + bytes.length > block.length) {
        block = Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes.length));
        filled = 0;
      }
      block.set(bytes, filled);
      filled += bytes.length;
      ends.push(filled);
      starts.push(filled - bytes.length);
      return blocks.push(block) - 1;
    },
    get(place) {
      const bytes = blocks[place]?.subarray(starts[place], ends[place]);
      if (bytes === undefined) throw new Error(`nothing was put at ${place}`);
      return JSON.parse(inflateRawSync(bytes).toString());
    },
  };
}

/** What `make` answered for the keys that were asked for last. */
export interface Recent<Key, Value> {
  of(key: Key): Value;
  forget(key: Key): void;
  clear(): void;
}

/** `most`: how many answers are kept. */
export function createRecent<Key, Value>(most: number, make: (key: Key) => Value): Recent<Key, Value> {
  const known = new Map<Key, Value>();
  return {
    of(key) {
      const found = known.get(key);
      if (found !== undefined) {
        // A Map keeps the order of insertion: the first is the one that was not asked for longest.
        known.delete(key);
        known.set(key, found);
        return found;
      }
      const value = make(key);
      known.set(key, value);
      if (known.size > most) {
        const [oldest] = known.keys();
        known.delete(oldest as Key);
      }
      return value;
    },
    forget: (key) => void known.delete(key),
    clear: () => known.clear(),
  };
}
