import type { ServerEngine } from "../../contract/text/engine-name.ts";

/** What a translation is given of columns and relations, and what it answers. Shapes only. */

export interface DatabaseProduct {
  engine: ServerEngine;
  /** As a number: 80403, 101106, 180006. */
  version: number;
}

/** A column that an expression may name, by its source's name in the map's key. */
export interface ColumnMeaning {
  /** In the target, unquoted. */
  name: string;
  /** MySQL: COLUMN_TYPE, as in `enum('a','b')`. PostgreSQL: format_type(), as in `character varying(20)`. */
  sourceType: string;
  /** As in the target's DDL. A TINYINT(1) that the copy may still widen must be given as what it will be. */
  targetType: string;
  nullable: boolean;
  /** MySQL: COLLATION_NAME. PostgreSQL: the collation's name, `default` for the database's; foldingName (collation.ts). */
  collation?: string | null;
  /** PostgreSQL: the labels, where the type is an enum. */
  labels?: readonly string[];
  /** A decimal of a MySQL view that comes with fewer digits than its type has, or as -0. */
  digitsVary?: boolean;
  /** It comes without digits where it is zero. */
  shortZero?: boolean;
  minusZero?: boolean;
  belowUnsigned?: boolean;
}

/** Where the expression stands. Only `default` may take the present time; `generated` and `index` must be immutable. */
export type Use = "check" | "generated" | "default" | "index" | "unique-index" | "partial-index";

export interface ExpressionOptions {
  from: DatabaseProduct;
  to: DatabaseProduct;
  columns: ReadonlyMap<string, ColumnMeaning>;
  use: Use;
  /** `generated` and `default`: the column that takes the value. */
  result?: ColumnMeaning;
}

/** `sql` is safe to put within parentheses. */
export interface Translated {
  sql: string;
  immutable: boolean;
}

/** A table, or a view that was translated before, as views name it. */
export interface SourceRelation {
  /** From outside in, unquoted: [schema, name]. */
  target: readonly string[];
  columns: ReadonlyMap<string, ColumnMeaning>;
  /** Primary key and unique keys without NULLs, by the source's names; of whole columns. Not needed from PostgreSQL. */
  keys: readonly (readonly string[])[];
}
