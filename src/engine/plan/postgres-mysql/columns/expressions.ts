import { foldingName } from "../../translate/collation.ts";
import { type ColumnMeaning, type DatabaseProduct, translateExpression } from "../../translate/index.ts";
import type { ColumnPlan, Expressions } from "./column-plan.ts";

/** The translator of plan/translate, with what it needs to know of the columns. */
export const createExpressions = (from: DatabaseProduct, to: DatabaseProduct): Expressions => ({
  translate(columns, expression, use, result) {
    const known = columns.map((column) => [column.source.name, columnMeaning(column)] as const);
    const found = translateExpression(expression, {
      from,
      to,
      columns: new Map(known),
      use,
      ...(result === undefined ? {} : { result: columnMeaning(result) }),
    });
    if ("sql" in found) return { sql: found.sql };
    return { reason: found.draft === undefined ? found.reason : `${found.reason}; draft: ${found.draft}` };
  },
});

const collationOf = ({ collation }: ColumnPlan["source"]): string => {
  if (collation === null) return "default";
  return collation.deterministic ? collation.name : foldingName(collation.name);
};

export function columnMeaning({ name, sql, nullable, type, source }: ColumnPlan): ColumnMeaning {
  return {
    name,
    sourceType: source.domain === null ? source.written : (source.base ?? source.written),
    targetType: type.collation === undefined ? sql : `${sql} COLLATE ${type.collation}`,
    nullable,
    collation: collationOf(source),
    ...(source.labels === null || source.array ? {} : { labels: source.labels }),
  };
}
