/** What is read one by one, so that no list of it is made. Node 20, which the command line supports, has no methods of iterators. */

export function* map<T, U>(all: Iterable<T>, change: (one: T) => U): Generator<U> {
  for (const one of all) yield change(one);
}

export function* filter<T>(all: Iterable<T>, fits: (one: T) => boolean): Generator<T> {
  for (const one of all) if (fits(one)) yield one;
}

export function findFirst<T>(all: Iterable<T>, fits: (one: T) => boolean): T | undefined {
  for (const one of all) if (fits(one)) return one;
  return undefined;
}
