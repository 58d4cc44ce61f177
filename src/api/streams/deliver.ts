import type { ServerResponse } from "node:http";

/**
 * Writes a large body in slices, the next when the connection took the last: an answer that is not read costs its connection no more
 * than a slice. A reader that takes nothing for `stalled`, or all of it slower than `slowest`, is dropped.
 */
interface DeliveryTimes {
  /** Milliseconds. */
  stalled: number;
  /** Bytes a second, beyond the first `stalled`. */
  slowest: number;
}

const usualDelivery: DeliveryTimes = { stalled: 30_000, slowest: 16_384 };

const sliceBytes = 16 * 1024;

/** Resolves when the response has ended, or is gone. What the source throws ends the connection, since the head is on its way. */
export async function deliver(
  response: ServerResponse,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  length: number,
  { stalled, slowest }: DeliveryTimes = usualDelivery,
): Promise<void> {
  const drop = () => response.destroy();
  const overall = setTimeout(drop, stalled + (length / slowest) * 1000);
  const taken = (slice: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(drop, stalled);
      const done = () => {
        clearTimeout(timer);
        response.off("close", done);
        resolve();
      };
      response.once("close", done);
      response.write(slice, done);
    });
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length && !response.destroyed; at += sliceBytes)
        await taken(piece.subarray(at, at + sliceBytes));
      if (response.destroyed) break;
    }
    if (!response.destroyed) await ended(response, drop, stalled);
  } catch (error) {
    drop();
    throw error;
  } finally {
    clearTimeout(overall);
  }
}

function ended(response: ServerResponse, drop: () => void, within: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(drop, within);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    response.end();
  });
}
