import type { EngineError } from "../../contract/index.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";

/**
 * A statement of ours for which another session waits is ended by KILL QUERY, and read again: its transaction goes on,
 * and sees the same rows.
 */

/** How often one statement, or one part of a table, is interrupted; then the run ends. */
const mostInterruptions = 3;

interface Interruption {
  /** With which the run ends. */
  error: EngineError;
  /** The server has ended the statement, or there was none. */
  sent: Promise<void>;
}

const interruptions = new WeakMap<Session, Interruption>();

/** Ends the reader's statement by `cancel`. What `readAgain` runs on the reader is run again. */
export function interrupt(reader: Session, error: EngineError, cancel: () => Promise<void>): void {
  interruptions.set(reader, { error, sent: cancel().catch(() => undefined) });
}

/** Whether an error is an interruption's: the work that it ended is to be undone, and the error thrown. */
export const isInterrupted = (reader: Session, error: unknown): boolean =>
  interruptions.has(reader) && wasCancelled(error);

/** Errors: `source_changed` after so many interruptions. */
export async function readAgain<T>(reader: Session, work: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    try {
      return await work();
    } catch (error) {
      const found = interruptions.get(reader);
      if (found === undefined || !wasCancelled(error)) throw error;
      interruptions.delete(reader);
      await found.sent;
      await absorbCancel(reader);
      if (times > mostInterruptions) throw found.error;
    }
  }
}

/** The reader, whose queries are run again. */
export function readsAgain(reader: Session): Session {
  const { query } = reader;
  const again: Session["query"] = (...asked) => readAgain(reader, () => query(...asked));
  return Object.assign(reader, { query: again });
}

const interrupted = 1317;

export const wasCancelled = (error: unknown): boolean => errorNumber(error) === interrupted;

/** A KILL QUERY that came too late for its statement must not hit the next one. */
export async function absorbCancel(reader: Session): Promise<void> {
  try {
    await reader.query("DO 0");
  } catch (error) {
    if (!wasCancelled(error)) throw error;
  }
}
