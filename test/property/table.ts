import type { Kind, Value } from "./kinds/index.ts";

/** A table of a case, as data. */

export interface Column {
  name: string;
  kind: Kind;
  required: boolean;
  default?: Value;
  /** Twice the key and one. */
  generated?: "STORED" | "VIRTUAL";
  /** A foreign key to the first column of a table, which may be its own or a later one. */
  references?: { table: string; constraint: string; loose?: Loose };
}

/** Not enforced: no row is refused. Not valid: no row of the source, which new rows are. */
export type Loose = "NOT ENFORCED" | "NOT VALID";

export type Partition = "range" | "list" | "hash";

/** Shows the rows whose column is equal to a literal. */
export interface View {
  name: string;
  column: string;
  literal: string;
}

/** `pair`: the column and the first one, by which it can be unique; `alone`: unique by itself. */
export interface Index {
  name: string;
  column: string;
  form: "plain" | "pair" | "unique" | "alone";
}

/** On the first column; a row with the number `refused` breaks it, and no row of a case does, unless it is loose. */
export interface Check {
  name: string;
  words(id: string): string;
  refused: number;
  loose?: Loose;
}

export interface Period {
  name: string;
  /** A unique key of the first column and the period, WITHOUT OVERLAPS. */
  key?: string;
  start: string;
  end: string;
}

/** The first column is a number that counts the rows from 0. A partition's `label`: the column that it is by, if not the first. */
export interface Table {
  name: string;
  columns: Column[];
  keyed: boolean;
  partition?: { by: Partition; names: string[]; label?: string };
  views: View[];
  period?: Period;
  /** MariaDB keeps its rows of the past. */
  versioned?: boolean;
  indexes: Index[];
  checks: Check[];
  /** Of each column; null is NULL. */
  rows: (Value | null)[][];
}
