import type { SourceRelation } from "../meaning.ts";
import type { QueryTranslation } from "../queries.ts";
import type { Query } from "../tree.ts";
import type { MysqlContext, MysqlTerm } from "./term.ts";

/** What names mean in a query. Shapes only. */

export interface MysqlViews {
  binary: string;
  maria: boolean;
  /** As a number: 80403, 101106. */
  version: number;
  /** [schema, name] or [name]. */
  relation(path: readonly string[]): SourceRelation | { reason: string } | undefined;
  doubt(reason: string): void;
  notes: Set<string>;
}

export type MysqlTranslation = QueryTranslation<MysqlTerm>;
export type MysqlOutputColumn = MysqlTranslation["columns"][number];

export interface MysqlFromItem {
  alias: string;
  columns: Map<string, MysqlTerm>;
}

export interface Scope {
  sources: MysqlFromItem[];
  with: Map<string, MysqlOutputColumn[]>;
  parent: Scope | undefined;
  query(query: Query, within: Scope): MysqlTranslation;
  context(scope: Scope): MysqlContext;
}
