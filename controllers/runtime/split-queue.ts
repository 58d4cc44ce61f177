import type { Queue } from "./queue.ts";

/**
 * Two queues with takers of their own, so that thousands of keys of one kind hold up none of the other. Whichever of them gets a key,
 * it goes to the one that it belongs to.
 */
export function splitQueue(make: () => Queue, isOther: (key: string) => boolean): { queue: Queue; others: Queue } {
  const [first, second] = [make(), make()];
  const of = (key: string): Queue => (isOther(key) ? second : first);
  const view = (own: Queue): Queue => ({
    add: (key, lane) => of(key).add(key, lane),
    addAfter: (key, milliseconds, lane) => of(key).addAfter(key, milliseconds, lane),
    lookAfter: (key, milliseconds) => of(key).lookAfter(key, milliseconds),
    retry: (key) => of(key).retry(key),
    forget: (key) => of(key).forget(key),
    take: () => own.take(),
    done: (key) => of(key).done(key),
    get length() {
      return first.length + second.length;
    },
    close() {
      first.close();
      second.close();
    },
  });
  return { queue: view(first), others: view(second) };
}
