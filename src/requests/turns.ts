import { Problem } from "./errors.ts";

interface TurnBounds {
  /** So many run at once. */
  most: number;
  /** So many of one key may wait; more are refused. */
  waiting: number;
  /** And so many in all. */
  inAll: number;
}

/**
 * Runs at most so many at once. The others wait: each key (an account) in the order in which they came, and the keys one after the
 * other, so that one's many wait behind another's one.
 */
interface Turns {
  /** Throws Problem `busy` where the key has too many that wait, or all have. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Throws what `run` would throw, before anything is done for it. */
  expect(key: string): void;
}

export function createTurns({ most, waiting, inAll }: TurnBounds): Turns {
  /** The key whose turn is next comes first. */
  const lines = new Map<string, (() => void)[]>();
  let running = 0;
  let waits = 0;

  const begin = (): void => {
    const next = lines.entries().next().value;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [key, line] = next;
    lines.delete(key);
    const first = line.shift();
    waits -= 1;
    if (line.length > 0) lines.set(key, line);
    first?.();
  };

  const expect = (key: string): void => {
    if (running < most) return;
    if ((lines.get(key)?.length ?? 0) >= waiting)
      throw new Problem(
        "busy",
        "Too many of your requests of this kind are waiting. Wait until one of them has finished.",
        {
          retryAfter: 1,
        },
      );
    if (waits >= inAll)
      throw new Problem("busy", "Too many requests of this kind wait already; try again in a moment.", {
        retryAfter: 5,
      });
  };

  return {
    expect,
    async run(key, work) {
      expect(key);
      if (running >= most) {
        const line = lines.get(key) ?? [];
        lines.set(key, line);
        waits += 1;
        await new Promise<void>((resolve) => line.push(resolve));
      } else running += 1;
      try {
        return await work();
      } finally {
        // The place is handed on, so that nobody takes it between.
        begin();
      }
    },
  };
}
