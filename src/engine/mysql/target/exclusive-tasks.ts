/** Work on things that get into each other's way. */

/** `touches`: what it takes hold of. */
export interface ExclusiveTask<Worker> {
  touches: readonly string[];
  run(worker: Worker): Promise<void>;
}

/**
 * Runs the work, each worker one at a time, the first possible first, and never two at once that touch the same. At the
 * first error no further one is begun; rejects with it when those that run have ended.
 */
export async function runExclusive<Worker>(
  workers: readonly Worker[],
  work: readonly ExclusiveTask<Worker>[],
): Promise<void> {
  const left = [...work];
  const held = new Set<string>();
  const waiting: (() => void)[] = [];
  let error: { cause: unknown } | undefined;

  const loop = async (worker: Worker): Promise<void> => {
    while (error === undefined && left.length > 0) {
      const at = left.findIndex(({ touches }) => touches.every((one) => !held.has(one)));
      const [one] = at < 0 ? [] : left.splice(at, 1);
      if (one === undefined) {
        // Something runs, or nothing would be held.
        await new Promise<void>((wake) => waiting.push(wake));
        continue;
      }
      for (const touched of one.touches) held.add(touched);
      try {
        await one.run(worker);
      } catch (cause) {
        error ??= { cause };
      } finally {
        for (const touched of one.touches) held.delete(touched);
        for (const wake of waiting.splice(0)) wake();
      }
    }
  };
  await Promise.all(workers.map(loop));
  if (error !== undefined) throw (error as { cause: unknown }).cause;
}
