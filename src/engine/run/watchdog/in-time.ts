/**
 * Answers as `work` does; but once `ending` has aborted, no later than `deadlineMs` after it, with `late()` as the error: a
 * server that never answers, or a promise that nothing settles, keeps no process alive and lets none end by itself.
 */
export async function inTime<T>(
  work: Promise<T>,
  ending: AbortSignal,
  deadlineMs: number,
  late: () => Error,
): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => reject(late()), deadlineMs);
  };
  if (ending.aborted) begin();
  else ending.addEventListener("abort", begin, { once: true });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    ending.removeEventListener("abort", begin);
    clearTimeout(timer);
  }
}
