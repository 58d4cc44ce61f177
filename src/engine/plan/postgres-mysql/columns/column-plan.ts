import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import type { Use } from "../../translate/index.ts";
import type { Scheme } from "./scheme.ts";
import type { ObservedType, TargetType } from "./target-type.ts";

/** What the planning of a table is given, and what it makes of each column. Shapes only. */

export interface ColumnPlan {
  source: ColumnDefinition;
  name: string;
  type: TargetType;
  sql: string;
  nullable: boolean;
  /** Made by the target from an expression, and so not loaded. */
  generated: boolean;
}

/** Expressions of the source as MySQL's, where they are proven to mean the same. */
export interface Expressions {
  /** `result`: the column that takes the value. A `draft` differs in what the reason says. */
  translate(
    columns: readonly ColumnPlan[],
    expression: string,
    use: Use,
    result?: ColumnPlan,
  ): { sql: string } | { reason: string };
}

export interface ColumnPlanning {
  scheme: Scheme;
  expressions: Expressions;
  /** Characters that keys leave to text, by column. */
  keyed: ReadonlyMap<string, number>;
  observedTypes: ReadonlyMap<string, ObservedType>;
  /** Names of checks that the data broke. */
  brokenChecks: ReadonlySet<string>;
  /** Type that foreign keys make columns share. */
  joined(column: string): string | undefined;
  /** `options.types` */
  override(column: string): string | undefined;
  /** A foreign key from or to the table is copied. */
  related: boolean;
  /** How many columns take their default from the sequence. */
  users(sequence: number): number;
  /** Few rows: all indexes are made with the table. */
  small: boolean;
}
