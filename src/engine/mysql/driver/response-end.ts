import type { StatementOutcome } from "./wire.ts";

/** How the answer to a command ends. */

export interface ResponseCallbacks<T = StatementOutcome | undefined> {
  done(answer: T): void;
  failed(error: Error): void;
}
