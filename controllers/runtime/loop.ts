import { isConflict, isNotFound } from "../../src/cluster/index.ts";
import type { Queue } from "./queue.ts";

/** From so many milliseconds on, a look again is one that may wait, and that is spread. */
const unhurried = 5000;

/** What a pass asks for: to look again, in milliseconds, and passes over other keys. */
export interface Passed {
  lookAgain?: number;
  /** Something is due then: the look is at that moment, and is not spread. */
  isDue?: boolean;
  others?: readonly string[];
}

/** One pass over one key. A throw brings the key back with backoff. */
export type Reconcile = (key: string) => Promise<Passed>;

/** A pass over an object that another writer changed or removed meanwhile ends: the cache brings what is new, and with it this key. */
export async function unlessOutdated(pass: () => Promise<Passed>): Promise<Passed> {
  try {
    return await pass();
  } catch (error) {
    if (isConflict(error)) return { lookAgain: 300 };
    if (isNotFound(error)) return {};
    throw error;
  }
}

/** Runs passes, at most `concurrency` at the same time, until the queue is closed; ends when the last one has. */
export async function runLoop(options: {
  queue: Queue;
  concurrency: number;
  reconcile: Reconcile;
  /** Told of each failed pass. */
  failed: (key: string, error: unknown) => void;
}): Promise<void> {
  const { queue } = options;

  async function work(): Promise<void> {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      try {
        const { lookAgain, isDue = false, others = [] } = await options.reconcile(key);
        queue.forget(key);
        for (const other of others) queue.add(other);
        if (lookAgain !== undefined && (isDue || lookAgain < unhurried))
          queue.addAfter(key, lookAgain, isDue ? "soon" : "again");
        else if (lookAgain !== undefined) queue.lookAfter(key, lookAgain);
      } catch (error) {
        options.failed(key, error);
        queue.retry(key);
      } finally {
        queue.done(key);
      }
    }
  }

  await Promise.all(Array.from({ length: options.concurrency }, work));
}
