import type { Relation } from "../meaning.ts";
import type { Query } from "../tree.ts";
import type { Context, Term } from "./term.ts";

/** What names mean in a query. Shapes only. */

export interface Views {
  binary: string;
  maria: boolean;
  /** As a number: 80403, 101106. */
  version: number;
  /** [schema, name] or [name]. */
  relation(path: readonly string[]): Relation | { reason: string } | undefined;
  doubt(reason: string): void;
  notes: Set<string>;
}

export interface Translation {
  sql: string;
  columns: Column[];
}

export interface Column {
  name: string;
  term: Term;
}

export interface Source {
  alias: string;
  columns: Map<string, Term>;
}

export interface Scope {
  sources: Source[];
  with: Map<string, Column[]>;
  parent: Scope | undefined;
  query(query: Query, within: Scope): Translation;
  context(scope: Scope): Context;
}
