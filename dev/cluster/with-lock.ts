import { lock } from "../lock.mjs";
import type { Place } from "./place.ts";

/** Works on a cluster's place while no other command does; waits for the one that does. */
export const withLock = async <T>(
  place: Place,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  const release = await lock(place.folder, signal === undefined ? {} : { signal });
  try {
    return await work();
  } finally {
    await release();
  }
};
