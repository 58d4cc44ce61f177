import { availableParallelism, cpus, freemem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** What the processors have done since the machine started: milliseconds of all of them together. */
export interface Times {
  idle: number;
  all: number;
}

const now = (): Times =>
  cpus().reduce(
    ({ idle, all }, { times }) => ({
      idle: idle + times.idle,
      all: all + Object.values(times).reduce((sum, one) => sum + one, 0),
    }),
    { idle: 0, all: 0 },
  );

/** How many processors had nothing to do between two moments, as an average. */
export const idleBetween = (from: Times, to: Times, processors: number): number =>
  to.all === from.all ? 0 : ((to.idle - from.idle) / (to.all - from.all)) * processors;

/** A job takes about 0.6 of a core, and what runs already may need more again. */
const roomForOne = 0.9;
/** Bytes: a job's servers, its control plane and its tests. */
const memoryForOne = 3 * 2 ** 30;
const windowMs = 12_000;

/** Waits until the machine has had room for one more job during a while in which one more was allowed; false once it is `over`. */
export async function untilRoom(over: () => boolean, allowed: () => boolean): Promise<boolean> {
  for (let from = now(), since = performance.now(); !over(); await pause(500)) {
    if (allowed() && performance.now() - since < windowMs) continue;
    const to = now();
    if (allowed() && hasRoom(from, to)) return true;
    [from, since] = [to, performance.now()];
  }
  return false;
}

const hasRoom = (from: Times, to: Times): boolean =>
  idleBetween(from, to, availableParallelism()) >= roomForOne && freemem() >= memoryForOne;
