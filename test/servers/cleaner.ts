import type { Database } from "../../dev/databases/index.ts";

/** Runs one statement as the superuser. */
export type Ask = (text: string, database?: string) => Promise<unknown[][]>;

export interface Cleaner {
  ask<T>(database: Database, work: (ask: Ask) => Promise<T>): Promise<T>;
  /** Removes what can be removed. */
  clear(ask: Ask): Promise<void>;
  /** All that is compared. */
  state(ask: Ask, database: Database): Promise<string>;
}
