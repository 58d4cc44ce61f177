/**
 * A queue of keys. Invariants: a key waits at most once; a key in work is not handed out again, but if it is added
 * meanwhile it waits again once the work is done; a failing key comes back after a time that doubles, with jitter; what something
 * happened to is never held up by those that failed, nor these by those that are only looked at.
 */
export interface Queue {
  add(key: string, lane?: Lane): void;
  /** Adds it later; of several times for a key the earliest holds. */
  addAfter(key: string, milliseconds: number, lane?: Lane): void;
  /** Likewise for a look, up to a fifth later than that, so that thousands are spread. */
  lookAfter(key: string, milliseconds: number): void;
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

/** `soon`, the default: something happened. `again`: after a failure, or to see what comes of something. `look`: whenever nothing else waits. */
export type Lane = "soon" | "again" | "look";

/** The most urgent first. */
const lanes = ["soon", "again", "look"] as const;

const moreUrgent = (one: Lane, other: Lane): Lane => (lanes.indexOf(one) <= lanes.indexOf(other) ? one : other);

interface QueueOptions {
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
  const waiting: Record<Lane, Set<string>> = { soon: new Set(), again: new Set(), look: new Set() };
  const inWork = new Set<string>();
  const again = new Map<string, Lane>();
  const failures = new Map<string, number>();
  const later = new Map<string, { at: number; cancel: () => void }>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  function hand(): void {
    while (takers.length > 0) {
      const lane = lanes.find((one) => waiting[one].size > 0);
      if (lane === undefined) return;
      const [key = ""] = waiting[lane];
      const taker = takers.shift();
      waiting[lane].delete(key);
      inWork.add(key);
      taker?.(key);
    }
  }

  function addAfter(key: string, milliseconds: number, lane: Lane): void {
    if (closed) return;
    if (milliseconds <= 0) {
      queue.add(key, lane);
      return;
    }
    const at = options.now() + milliseconds;
    const set = later.get(key);
    if (set && set.at <= at) return;
    set?.cancel();
    const cancel = options.schedule(milliseconds, () => {
      later.delete(key);
      queue.add(key, lane);
    });
    later.set(key, { at, cancel });
  }

  const queue: Queue = {
    add(key, lane = "soon") {
      if (closed) return;
      if (inWork.has(key)) {
        again.set(key, moreUrgent(lane, again.get(key) ?? lane));
        return;
      }
      const before = lanes.find((one) => waiting[one].has(key));
      if (before !== undefined && moreUrgent(before, lane) === before) return;
      if (before !== undefined) waiting[before].delete(key);
      waiting[lane].add(key);
      hand();
    },
    addAfter: (key, milliseconds, lane = "soon") => addAfter(key, milliseconds, lane),
    lookAfter: (key, milliseconds) => addAfter(key, milliseconds * (1 + options.random() / 5), "look"),
    retry(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      const full = Math.min(most, base * 2 ** Math.min(count, 20));
      addAfter(key, full / 2 + (full / 2) * options.random(), "again");
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
      const lane = again.get(key);
      if (again.delete(key)) queue.add(key, lane);
    },
    get length() {
      return lanes.reduce((sum, lane) => sum + waiting[lane].size, 0);
    },
    close() {
      closed = true;
      for (const { cancel } of later.values()) cancel();
      later.clear();
      for (const lane of lanes) waiting[lane].clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
  return queue;
}
