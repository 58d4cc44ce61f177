import type { Term } from "./term.ts";

/** What a FROM brings into a query. */

export interface FromItem {
  alias: string;
  columns: Map<string, Term>;
  /** Unique keys without NULLs, in the case of `columns`. */
  keys: string[][];
}
