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

interface Listener {
  heard(): void;
  waiting: Set<WaitingCall> | undefined;
}

/** Within another's it is heard by both. `waiting` gets the sessions that wait, as long as they do. */
export function withReplyListener<T>(heard: () => void, work: () => T, waiting?: Set<WaitingCall>): T {
  const outer = listening.getStore();
  const both = () => {
    outer?.heard();
    heard();
  };
  return listening.run({ heard: both, waiting: waiting ?? outer?.waiting }, work);
}

/** What `work` asks is asked by who waits himself. */
export const withoutReplyListener = <T>(work: () => T): T => listening.exit(work);

/** The sessions tell each answer, an error too. */
export const noteReply = (): void => listening.getStore()?.heard();

/** A session sends a statement and waits for its answer. */
export async function awaited<T>(one: WaitingCall, work: () => Promise<T>): Promise<T> {
  const waiting = listening.getStore()?.waiting;
  waiting?.add(one);
  try {
    return await work();
  } finally {
    waiting?.delete(one);
    noteReply();
  }
}
