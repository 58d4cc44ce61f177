import type { IncomingMessage } from "node:http";

/**
 * Lets by what a client still sends of a request that is refused, so that it hears why: where a connection ends with bytes unread, or
 * while a client writes, many clients tell of a broken connection and never look for the answer. Bounded, for those that would send for ever.
 */
export interface UnreadBounds {
  bytes: number;
  milliseconds: number;
}

/** Many clients send all of a body of some megabytes before they look for an answer; what passes is kept nowhere. */
const usual: UnreadBounds = { bytes: 2 ** 25, milliseconds: 10_000 };

/** Resolves when the request is whole or its client gone, else at a bound. */
export function letUnreadBy(request: IncomingMessage, { bytes, milliseconds }: UnreadBounds = usual): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let left = bytes;
    const done = () => {
      clearTimeout(timer);
      request.off("data", take).off("end", done).off("close", done);
      resolve();
    };
    const take = (part: Buffer) => {
      left -= part.length;
      if (left < 0) done();
    };
    const timer = setTimeout(done, milliseconds);
    request.on("data", take).once("end", done).once("close", done);
  });
}
