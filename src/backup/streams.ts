import type { EventEmitter } from "node:events";

/**
 * For a stream whose error somebody else reports, `pipeline` or a loop over it. Once those have ended they listen no more, and the
 * `error` of a stream that is destroyed while it reads would end the process.
 */
export function reportedElsewhere<Stream extends EventEmitter>(stream: Stream): Stream {
  return stream.on("error", () => undefined);
}
