/** The limit of `bandwidth`: bytes a second over all streams of a copy. */
export interface Throttle {
  /** Counts bytes that were read; answers what to wait for before reading on, or undefined. */
  take(bytes: number): Promise<void> | undefined;
}

/** The longest that a timer of Node takes. */
const longestTimerMs = 2 ** 31 - 1;

/** At most this much may be owed or saved up, in milliseconds of the limit: bursts stay short. */
const burstMs = 250;

/** `bandwidth`: bytes a second; undefined or 0 for no limit. The clock is in milliseconds and only goes forward. */
export function createThrottle(
  bandwidth: number | undefined,
  { signal, now = () => performance.now() }: { signal: AbortSignal; now?: () => number },
): Throttle {
  if (!bandwidth) return { take: () => undefined };
  /** When what was taken so far is paid for. */
  let paid = now() - burstMs;
  return {
    take(bytes) {
      const at = now();
      paid = Math.max(paid, at - burstMs) + (bytes / bandwidth) * 1000;
      const wait = paid - at;
      if (wait <= 0 || signal.aborted) return undefined;
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(wait, longestTimerMs));
        signal.addEventListener("abort", done, { once: true });
      });
    },
  };
}
