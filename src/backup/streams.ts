import type { EventEmitter } from "node:events";

/**
 * For a stream whose error somebody else reports, `pipeline` or a loop over it. Once those have ended they listen no more, and the
 * `error` of a stream that is destroyed while it reads would end the process.
 */
export function reportedElsewhere<Stream extends EventEmitter>(stream: Stream): Stream {
  return stream.on("error", () => undefined);
}

export async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}

/** As the work ends, or with the signal's reason as soon as it is aborted: the work may never end then. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}
