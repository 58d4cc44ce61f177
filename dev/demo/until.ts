import { setTimeout as delay } from "node:timers/promises";

/** Polls until `holds`, for 30 seconds at most. Rejects with what it waited for, or when the signal aborts. */
export async function until(what: string, holds: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited 30 seconds for ${what}`);
    await delay(300, undefined, { signal });
  }
}
