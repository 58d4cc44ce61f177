import { AsyncLocalStorage } from "node:async_hooks";
import type { Endpoint } from "../../contract/index.ts";

/**
 * Whoever waits for servers hears of each answer to what `work` asks them, on whichever session: a long row of short questions
 * is no silence. It follows the calls, so that no reader of a catalogue has to hand it on.
 */
const listening = new AsyncLocalStorage<Listener>();

/** A session that waits for an answer; `id` is what the server calls it. */
export interface WaitingCall {
  role: "source" | "target";
  endpoint: Endpoint;
  id: number;
}

/** Gets the sessions that wait, as long as they do. */
interface WaitingCalls {
  add(one: WaitingCall): unknown;
  delete(one: WaitingCall): unknown;
}

interface Listener {
  heard(): void;
  waiting: readonly WaitingCalls[];
}

/** Within another's it is heard by both. */
export function withReplyListener<T>(heard: () => void, work: () => T, waiting?: WaitingCalls): T {
  const outer = listening.getStore();
  const both = () => {
    outer?.heard();
    heard();
  };
  const all = [...(outer?.waiting ?? []), ...(waiting === undefined ? [] : [waiting])];
  return listening.run({ heard: both, waiting: all }, work);
}

/** What `work` asks is asked by who waits himself. */
export const withoutReplyListener = <T>(work: () => T): T => listening.exit(work);

/** The sessions tell each answer, an error too. */
export const noteReply = (): void => listening.getStore()?.heard();

/** A session sends a statement and waits for its answer. */
export async function awaited<T>(one: WaitingCall, work: () => Promise<T>): Promise<T> {
  const waiting = listening.getStore()?.waiting ?? [];
  for (const calls of waiting) calls.add(one);
  try {
    return await work();
  } finally {
    for (const calls of waiting) calls.delete(one);
    noteReply();
  }
}
