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
  // The next one is the last: a database may have very many tables.
  const queue = [...first].sort(byWeight).reverse();
  let running = 0;
  let error: { cause: unknown } | undefined;
  const waiting: (() => void)[] = [];
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake();
  };

  const loop = async (worker: Worker): Promise<void> => {
    while (error === undefined) {
      const task = queue.pop();
      if (task === undefined) {
        if (running === 0) return;
        await new Promise<void>((wake) => waiting.push(wake));
        continue;
      }
      running++;
      try {
        for (const next of await task.run(worker)) queue.splice(placeOf(queue, next), 0, next);
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

/** Behind those of its weight that wait longer. */
function placeOf(queue: readonly { weight: number }[], { weight }: { weight: number }): number {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.weight ?? 0) < weight) low = middle + 1;
    else high = middle;
  }
  return low;
}

const byWeight = (a: { weight: number }, b: { weight: number }) => b.weight - a.weight;

interface Together<T> {
  weigh(one: T): number;
  /** Over all of a group; one that weighs more stands alone. */
  mostWeight: number;
  most: number;
}

/** Groups of neighbours, so that what each costs by itself (a transaction, a round trip) is paid once. Pure. */
export function together<T>(all: readonly T[], { weigh, mostWeight, most }: Together<T>): T[][] {
  const groups: T[][] = [];
  let weight = 0;
  for (const one of all) {
    const group = groups.at(-1);
    weight += weigh(one);
    if (group !== undefined && group.length < most && weight <= mostWeight) group.push(one);
    else {
      groups.push([one]);
      weight = weigh(one);
    }
  }
  return groups;
}
