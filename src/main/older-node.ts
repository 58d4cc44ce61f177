import { getMaxListeners, setMaxListeners } from "node:events";

/** What the engine uses and Node 20 lacks, for the command line on somebody's own machine. To be imported first. */

// Newer ones count no listeners of an AbortSignal. A copy's signal has two for each session, which are no leak, and a
// warning of it would be printed among the progress.
if (getMaxListeners(new AbortController().signal) > 0) setMaxListeners(0);

Promise.withResolvers ??= <Value>(): PromiseWithResolvers<Value> => {
  let resolve: PromiseWithResolvers<Value>["resolve"] = () => undefined;
  let reject: PromiseWithResolvers<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
};

Map.groupBy ??= <Key, Value>(values: Iterable<Value>, keyOf: (value: Value, at: number) => Key): Map<Key, Value[]> => {
  const groups = new Map<Key, Value[]>();
  let at = 0;
  for (const value of values) {
    const key = keyOf(value, at++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
};
