import type { Queue } from "./queue.ts";

/**
 * Queues with takers of their own, so that thousands of keys of one kind hold up none of another. Whichever of them gets a key, it goes
 * to the first whose question it answers with yes, else to the first of all.
 */
export function splitQueue(make: () => Queue, isOf: readonly ((key: string) => boolean)[]): [Queue, ...Queue[]] {
  const first = make();
  const others = isOf.map((is) => ({ is, own: make() }));
  const all = [first, ...others.map(({ own }) => own)];
  const of = (key: string): Queue => others.find(({ is }) => is(key))?.own ?? first;
  const view = (own: Queue): Queue => ({
    add: (key, lane) => of(key).add(key, lane),
    addAfter: (key, milliseconds, lane) => of(key).addAfter(key, milliseconds, lane),
    lookAfter: (key, milliseconds) => of(key).lookAfter(key, milliseconds),
    retry: (key) => of(key).retry(key),
    forget: (key) => of(key).forget(key),
    take: () => own.take(),
    done: (key) => of(key).done(key),
    get length() {
      return all.reduce((sum, one) => sum + one.length, 0);
    },
    close() {
      for (const one of all) one.close();
    },
  });
  return [view(first), ...others.map(({ own }) => view(own))];
}
