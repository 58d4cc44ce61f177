import { setTimeout as delay } from "node:timers/promises";

/** Polls until `holds`, for 30 seconds at most. Rejects with what it waited for, or when the signal aborts. */
export async function until(what: string, holds: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited 30 seconds for ${what}`);
    await delay(300, undefined, { signal });
  }
}

/** What a call resolves to; repeated while the port refuses connections, since kube-proxy leads there a moment after a pod is ready. */
export async function onceReached<T>(what: string, call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let found: { value: T } | undefined;
  const isReached = async (): Promise<boolean> => {
    try {
      found = { value: await call() };
      return true;
    } catch (error) {
      // Nothing was sent.
      if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return false;
      throw error;
    }
  };
  await until(`${what} to be reached`, isReached, signal);
  if (found === undefined) throw new Error(`${what} was not reached`);
  return found.value;
}
