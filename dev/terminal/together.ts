// Tasks side by side of which the first failure ends all: the others are aborted, and awaited.
import { CleanupFailed } from "./failure.ts";

/** The reason for which a task is aborted when another one failed; `cause` is that failure. */
export class Stopped extends Error {
  constructor(cause: unknown) {
    super("stopped, because another step failed", { cause });
    this.name = "Stopped";
  }
}

type Tasks<T extends readonly unknown[]> = { [K in keyof T]: (signal: AbortSignal) => Promise<T[K]> };

/**
 * Runs the tasks side by side and returns their values in order. After a failure or an abort of `signal` it waits until
 * every task has settled, so that nothing works on in the background, and rejects with the first failure, or with what a task
 * could not clean up.
 */
export const together = async <T extends readonly unknown[]>(
  signal: AbortSignal | undefined,
  tasks: readonly [...Tasks<T>],
): Promise<T> => {
  const failed = new AbortController();
  const both = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  let first: { error: unknown } | undefined;
  const run = async (task: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
    try {
      return await task(both);
    } catch (error) {
      first ??= { error };
      failed.abort(new Stopped(error));
      throw error;
    }
  };
  const settled = await Promise.allSettled(tasks.map(run));
  // What could not be cleaned up is news also after an interrupt.
  for (const one of settled) if (one.status === "rejected" && one.reason instanceof CleanupFailed) throw one.reason;
  signal?.throwIfAborted();
  if (first !== undefined) throw first.error;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
};
