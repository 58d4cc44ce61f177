/** Tasks shared by a fixed number of workers; a task may bring further ones. */

export interface Task<Worker> {
  /** The heaviest is taken first. */
  weight: number;
  run(worker: Worker): Promise<Task<Worker>[]>;
}

/**
 * Works off the tasks and all that they bring. At the first error no further task is begun and `failed` is called, so
 * that the caller can end the others; resolves or rejects (with the first error) when every worker has stopped.
 */
export async function workOff<Worker>(
  workers: readonly Worker[],
  first: readonly Task<Worker>[],
  failed: (error: unknown) => void,
): Promise<void> {
  const queue = [...first].sort(byWeight);
  let running = 0;
  let error: { cause: unknown } | undefined;
  const waiting: (() => void)[] = [];
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake();
  };

  const loop = async (worker: Worker): Promise<void> => {
    while (error === undefined) {
      const task = queue.shift();
      if (task === undefined) {
        if (running === 0) return;
        await new Promise<void>((wake) => waiting.push(wake));
        continue;
      }
      running++;
      try {
        const next = await task.run(worker);
        if (next.length > 0) queue.push(...next);
        queue.sort(byWeight);
      } catch (cause) {
        if (error === undefined) {
          error = { cause };
          failed(cause);
        }
      } finally {
        running--;
        wakeAll();
      }
    }
  };
  await Promise.all(workers.map(loop));
  if (error !== undefined) throw (error as { cause: unknown }).cause;
}

const byWeight = (a: { weight: number }, b: { weight: number }) => b.weight - a.weight;
