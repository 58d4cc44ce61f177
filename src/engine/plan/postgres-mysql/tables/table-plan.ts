import type { KnownEntry } from "../../../contract/known.ts";
import type { LoadTarget } from "../../../mysql/target/loader.ts";
import type { ColumnDefinition, TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import type { CopyToLoadField } from "../../../rows/copy-to-load/fields.ts";
import type { Doubt } from "../../fits/values.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import type { IndexPlan } from "./indexes.ts";

/** What becomes of a table: every statement of the target and what to say in the report. Pure. */
export interface TablePlan {
  source: TableDefinition;
  name: string;
  columns: ColumnPlan[];
  /** Of the columns that are loaded. */
  loaded: ColumnPlan[];
  fields: CopyToLoadField[];
  /** Columns whose values may not fit into a type that the user named, or that is there. */
  doubts: readonly Doubt[];
  load: LoadTarget;
  /** List of a SELECT. */
  select: string;
  /** With the comment as SQL. `early`: the indexes that are made with it. */
  create(comment: string): string;
  comment: string;
  indexes: IndexPlan[];
  /** Added after the data, all at once. */
  later: IndexPlan[];
  /** Added after those, each alone. */
  functional: IndexPlan[];
  /** Rows may be longer than the server likes. */
  wide: boolean;
  counter: { column: string; sequence: NonNullable<ColumnDefinition["sequence"]> } | undefined;
  /** As lines of its definition. */
  checks: readonly string[];
  inventory: KnownEntry[];
}

/** By the tables' oids in the source. */
export type Plans = Pick<ReadonlyMap<number, TablePlan>, "get"> & { values(): Iterable<TablePlan> };

/** It is made without a primary key, whatever the source has. */
export const isKeyless = ({ indexes }: TablePlan): boolean => !indexes.some(({ primary }) => primary);
