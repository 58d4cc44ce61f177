import type { SourceRelation } from "../meaning.ts";
import type { Query } from "../tree.ts";
import type { Term, TranslationContext } from "./term.ts";

/** What names mean in a query. Shapes only. */

export interface Views {
  binary: string;
  maria: boolean;
  /** As a number: 80403, 101106. */
  version: number;
  /** [schema, name] or [name]. */
  relation(path: readonly string[]): SourceRelation | { reason: string } | undefined;
  doubt(reason: string): void;
  notes: Set<string>;
}

export interface Translation {
  sql: string;
  columns: OutputColumn[];
}

export interface OutputColumn {
  name: string;
  term: Term;
}

export interface FromItem {
  alias: string;
  columns: Map<string, Term>;
}

export interface Scope {
  sources: FromItem[];
  with: Map<string, OutputColumn[]>;
  parent: Scope | undefined;
  query(query: Query, within: Scope): Translation;
  context(scope: Scope): TranslationContext;
}
