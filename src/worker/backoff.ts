import { setTimeout as sleepFor } from "node:timers/promises";

/** Waits of a retry: doubling from `firstMs` to `mostMs`, each between half and the whole of it, so that pods spread out. */
export function backoff(firstMs: number, mostMs: number, random: () => number): () => number {
  let next = firstMs;
  return () => {
    const wait = next * (0.5 + random() / 2);
    next = Math.min(next * 2, mostMs);
    return wait;
  };
}

/** Resolves after the time, or at once when the signal aborts; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(ms, undefined, { signal });
  } catch {
    // The caller looks at the signal.
  }
}
