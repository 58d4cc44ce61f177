import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { expressionText, type SourceColumn, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { type ColumnMeaning, type Translated, translateExpression, type Use } from "../../translate/index.ts";
import type { ColumnPlan, Scheme } from "./column-plan.ts";

/** A table's expressions in the target's SQL, where that is proven to be the same. */
export type Translator = (sql: string, use: Use, result?: ColumnPlan) => Translated | { reason: string };

export function createTranslator(scheme: Scheme, columns: readonly ColumnPlan[]): Translator {
  const meanings = new Map(columns.map((column) => [column.source.name, meaningOf(column)]));
  return (sql, use, result) =>
    translateExpression(sql, {
      from: { engine: mysqlEngine(scheme), version: scheme.sourceVersion },
      to: { engine: "postgres", version: scheme.targetVersion },
      columns: meanings,
      use,
      ...(result === undefined ? {} : { result: meaningOf(result) }),
    });
}

export const meaningOf = ({ source, name, sql, nullable }: ColumnPlan): ColumnMeaning => ({
  name,
  sourceType: source.columnType,
  targetType: sql,
  nullable,
  collation: source.collation,
});

export const isGenerated = (column: SourceColumn): boolean => column.generation !== "" && !isRowTime(column);

/** MariaDB's columns of system versioning. */
const isRowTime = ({ generation }: SourceColumn): boolean => /^ROW (START|END)$/i.test(generation);

/** Names of columns that the expression may mean; rather one too many. */
export const mentions = (expression: string, { name }: Pick<SourceColumn, "name">): boolean =>
  expression.toLowerCase().includes(`\`${name.replaceAll("`", "``").toLowerCase()}\``);

/**
 * Columns whose type must be known before the data: those of generated columns, which PostgreSQL computes itself.
 */
export const fixedColumns = ({ columns }: SourceTable): SourceColumn[] => {
  const generated = columns.filter(isGenerated);
  return columns.filter(
    (column) => generated.includes(column) || generated.some(({ generation }) => mentions(generation, column)),
  );
};

/** As a person reads it. */
export const readable = (scheme: Scheme, sql: string): string => (scheme.maria ? sql : expressionText(sql));
