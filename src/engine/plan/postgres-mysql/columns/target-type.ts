import type { CopyToLoadFieldKind, Srids } from "../../../rows/copy-to-load/fields.ts";

/** What a column becomes, and what the data teach of it. Shapes only. */

/** What earlier attempts at this table have taught about a column. */
export interface ObservedType {
  /** The guessed type was too narrow: text in a key, a document that is none for the target. */
  long: boolean;
  /** A numeric's digits before and after the point, counted in the source. */
  digits?: { before: number; after: number };
  /** A NOT NULL column holds values that only NULL can stand for. */
  nullable: boolean;
  /** Why the target's own values of a generated column are not the source's (verify-expressions.ts). */
  plain?: string;
}

export interface TargetType {
  /** As in DDL. */
  sql: string;
  kind: CopyToLoadFieldKind;
  /** Characters (kind limited) or digits before the point (numeric). */
  limit?: number;
  scale?: number;
  /** shape: as Field. */
  srids?: Srids;
  /** What is selected from the source; the column by default. */
  select?: (column: string) => string;
  /** Loaded through a variable and converted from bytes, as MySQL's JSON must be. */
  json?: true;
  /** Bytes towards the row's 65,535; and for a key, all of them. Undefined in a key: cannot be one. */
  bytes: number;
  /** Characters of text; unbounded where it is a *TEXT. */
  text?: { characters: number | undefined };
  /** Columns of this type are too long for a key, or may not be in one: a prefix or a hash is needed. */
  unkeyed?: "text" | "binary" | "never";
  /** An SQL condition on the quoted column name. */
  check?: (column: string) => string;
  collation?: string;
  /** Why it is not the plain equivalent, for the report. */
  note?: string;
}
