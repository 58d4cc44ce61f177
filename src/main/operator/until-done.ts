import { pause } from "../../cluster/index.ts";

/** Returns a function that retries work until it succeeds, with a growing pause, or ends the process once `signal` aborts. */
export function createUntilDone({
  problem,
  random,
  signal,
}: {
  problem: (what: string) => (error: unknown) => void;
  random: () => number;
  signal: AbortSignal;
}) {
  return async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    for (let wait = 500; ; wait = Math.min(wait * 2, 15_000)) {
      try {
        return await run();
      } catch (error) {
        problem(what)(error);
        await pause(wait * (0.5 + random() / 2), signal);
        if (signal.aborted) process.exit(0);
      }
    }
  };
}
