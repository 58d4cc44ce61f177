import type { Outcome } from "./wire.ts";

/** How the answer to a command ends. */

export interface Ending<T = Outcome | undefined> {
  done(answer: T): void;
  failed(error: Error): void;
}
