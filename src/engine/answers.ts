import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Whoever waits for servers hears of each answer to what `work` asks them, on whichever session: a long row of short questions
 * is no silence. It follows the calls, so that no reader of a catalogue has to hand it on.
 */
const listening = new AsyncLocalStorage<() => void>();

/** Within another's it is heard by both. */
export function hearAnswers<T>(heard: () => void, work: () => T): T {
  const outer = listening.getStore();
  const both = () => {
    outer?.();
    heard();
  };
  return listening.run(both, work);
}

/** What `work` asks is asked by who waits himself. */
export const unheard = <T>(work: () => T): T => listening.exit(work);

/** The sessions tell each answer, an error too. */
export const answered = (): void => listening.getStore()?.();
