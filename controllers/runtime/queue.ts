/**
 * A queue of keys. Invariants: a key waits at most once; a key in work is not handed out again, but if it is added
 * meanwhile it waits again once the work is done; a failing key comes back after a time that doubles, with jitter.
 */
export interface Queue {
  add(key: string): void;
  /** Adds it later; of several times for a key the earliest holds. */
  addAfter(key: string, milliseconds: number): void;
  /** Adds it after its backoff: base · 2^failures, at most `most`, half of it random. */
  retry(key: string): void;
  /** Forgets its failures. */
  forget(key: string): void;
  /** The next key, when there is one; undefined once the queue is closed. The taker must call `done`. */
  take(): Promise<string | undefined>;
  done(key: string): void;
  /** Keys waiting now, not those of later. */
  readonly length: number;
  close(): void;
}

export interface QueueOptions {
  random: () => number;
  /** Calls back after so many milliseconds; answers how to cancel. */
  schedule: (milliseconds: number, run: () => void) => () => void;
  now: () => number;
  /** Milliseconds. */
  base?: number;
  most?: number;
}

export function createQueue(options: QueueOptions): Queue {
  const base = options.base ?? 200;
  const most = options.most ?? 60_000;
  const waiting = new Set<string>();
  const inWork = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const later = new Map<string, { at: number; cancel: () => void }>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  function hand(): void {
    while (takers.length > 0 && waiting.size > 0) {
      const [key] = waiting;
      const taker = takers.shift();
      if (key === undefined || taker === undefined) return;
      waiting.delete(key);
      inWork.add(key);
      taker(key);
    }
  }

  const queue: Queue = {
    add(key) {
      if (closed) return;
      if (inWork.has(key)) again.add(key);
      else {
        waiting.add(key);
        hand();
      }
    },
    addAfter(key, milliseconds) {
      if (closed) return;
      if (milliseconds <= 0) return queue.add(key);
      const at = options.now() + milliseconds;
      const set = later.get(key);
      if (set && set.at <= at) return;
      set?.cancel();
      const cancel = options.schedule(milliseconds, () => {
        later.delete(key);
        queue.add(key);
      });
      later.set(key, { at, cancel });
    },
    retry(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      const full = Math.min(most, base * 2 ** Math.min(count, 20));
      queue.addAfter(key, full / 2 + (full / 2) * options.random());
    },
    forget(key) {
      failures.delete(key);
    },
    take() {
      if (closed) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        takers.push(resolve);
        hand();
      });
    },
    done(key) {
      inWork.delete(key);
      if (again.delete(key)) queue.add(key);
    },
    get length() {
      return waiting.size;
    },
    close() {
      closed = true;
      for (const { cancel } of later.values()) cancel();
      later.clear();
      waiting.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
  return queue;
}
