/** Tasks shared by a fixed number of workers; a task may bring further ones. */

export interface Task<Worker> {
  /** The heaviest is taken first. */
  weight?: number;
  /** Things of which each is held by one task at a time; a task that has to wait for one lets others pass. */
  touches?: readonly string[];
  // biome-ignore lint/suspicious/noConfusingVoidType: most tasks bring no others.
  run(worker: Worker): Promise<readonly Task<Worker>[] | void>;
}

/**
 * Works off the tasks and all that they bring. At the first error no further task is begun and `failed` is called, so
 * that the caller can end the others; resolves or rejects (with the first error) when every worker has stopped.
 */
export function workOff<Worker>(
  workers: readonly Worker[],
  first: readonly Task<Worker>[],
  failed?: (error: unknown) => void,
): Promise<void> {
  // The next one is the last: a database may have very many tables.
  const queue = [...first].sort(byWeight).reverse();
  const idle = [...workers].reverse();
  const held = new Set<string>();
  const ended = Promise.withResolvers<void>();
  let error: { cause: unknown } | undefined;

  const begin = () => {
    while (error === undefined && idle.length > 0) {
      const at = queue.findLastIndex(({ touches = [] }) => !touches.some((one) => held.has(one)));
      const [task] = at < 0 ? [] : queue.splice(at, 1);
      if (task === undefined) break;
      void work(idle.pop() as Worker, task);
    }
    if (idle.length < workers.length) return;
    if (error === undefined) ended.resolve();
    else ended.reject(error.cause);
  };
  const work = async (worker: Worker, task: Task<Worker>) => {
    for (const one of task.touches ?? []) held.add(one);
    try {
      for (const next of (await task.run(worker)) ?? []) queue.splice(placeOf(queue, next), 0, next);
    } catch (cause) {
      if (error === undefined) {
        error = { cause };
        failed?.(cause);
      }
    }
    for (const one of task.touches ?? []) held.delete(one);
    idle.push(worker);
    begin();
  };
  begin();
  return ended.promise;
}

/** Behind those of its weight that wait longer. */
function placeOf<Worker>(queue: readonly Task<Worker>[], { weight = 0 }: Task<Worker>): number {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.weight ?? 0) < weight) low = middle + 1;
    else high = middle;
  }
  return low;
}

const byWeight = (a: { weight?: number }, b: { weight?: number }) => (b.weight ?? 0) - (a.weight ?? 0);

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
