import type { ServerResponse } from "node:http";
import type { StreamEvent } from "../openapi/operation.ts";

/**
 * Server-sent events. One event at a time is on its way: the next is asked for once the reader took the last, so a slow reader costs no
 * memory; one that takes nothing for `stalled` is dropped. A comment each `heartbeat` keeps proxies from ending a quiet stream.
 */
export interface StreamTimes {
  heartbeat: number;
  stalled: number;
}

export const usualTimes: StreamTimes = { heartbeat: 15_000, stalled: 60_000 };

const lines = (text: string): string => text.replace(/[\r\n]+/g, " ");

export function eventText({ id, event, data }: StreamEvent): string {
  const named = id === undefined ? "" : `id: ${lines(id)}\n`;
  // JSON has no bare line break, so the data is one line.
  return `${named}event: ${lines(event)}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Writes until the source ends, the reader is gone or the signal aborts; then the response has ended. */
export async function writeStream(
  response: ServerResponse,
  open: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  signal: AbortSignal,
  times: StreamTimes = usualTimes,
): Promise<void> {
  const gone = new AbortController();
  const end = () => gone.abort();
  response.once("close", end);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted || response.destroyed) end();

  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => response.destroy(), times.stalled);
      const done = () => {
        clearTimeout(timer);
        response.off("drain", done);
        gone.signal.removeEventListener("abort", done);
        resolve();
      };
      response.once("drain", done);
      gone.signal.addEventListener("abort", done, { once: true });
      if (gone.signal.aborted) done();
    });
  const write = async (text: string): Promise<void> => {
    if (!response.write(text)) await drained();
  };

  const beat = setInterval(() => {
    // A comment behind unread data would only wait there.
    if (!response.writableNeedDrain && !gone.signal.aborted) response.write(": \n\n");
  }, times.heartbeat);
  try {
    // Milliseconds after which a reader whose stream ended comes again.
    await write("retry: 2000\n\n");
    for await (const event of open(gone.signal)) {
      if (gone.signal.aborted) break;
      await write(eventText(event));
      if (gone.signal.aborted) break;
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    signal.removeEventListener("abort", end);
    end();
    if (!response.destroyed) response.end();
  }
}
