import type { InventoryEntry } from "../../../contract/index.ts";
import type { Known } from "../../../contract/known.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { drawsFrom } from "../tables/sequences.ts";
import { computedAs } from "./checks.ts";
import { type ColumnPlan, columnKey, type Scheme } from "./column-plan.ts";
import { targetDefault } from "./defaults.ts";
import { isGenerated, mentions, readable, type Translator } from "./expressions.ts";
import { isIncrement } from "./types.ts";

export type Note = (
  kind: string,
  of: string,
  outcome: InventoryEntry["outcome"],
  words?: string,
  definition?: string,
  known?: Known,
) => void;

/** What gives a column its value where no row does, as DDL after its type: a default, or what it is computed from. */
export function columnValue(
  scheme: Scheme,
  source: SourceTable,
  column: ColumnPlan,
  translate: Translator,
  note: Note,
): string[] {
  const { source: from, sql, type } = column;
  const refused = scheme.refused.get(columnKey(source.name, from.name));
  const reason = refused === undefined ? undefined : { reason: `PostgreSQL refuses its translation: ${refused}` };
  if (isGenerated(from)) {
    const computed = reason ?? computedAs(scheme, source, column, translate);
    if ("sql" in computed && column.plain !== undefined) {
      const words = `plain column with the values; translated as ${computed.sql}: ${column.plain}`;
      note("generated column", from.name, "reported", words, readable(scheme, from.generation));
      return [];
    }
    if ("sql" in computed) {
      column.computed = true;
      column.translated = true;
      note("generated column", from.name, "converted", computed.sql);
      return [computed.sql];
    }
    const words = `plain column with the values; its expression is not translated: ${computed.reason}`;
    note("generated column", from.name, "reported", words, readable(scheme, from.generation));
    return [];
  }
  if (from.generation !== "") {
    note("generated column", from.name, "reported", "plain column with the values", from.generation);
    return [];
  }
  if (isIncrement(from)) {
    note("default", from.name, "reported", `AUTO_INCREMENT on ${sql}, which cannot count up`);
    return [];
  }
  const value = targetDefault(from, type, scheme.maria);
  if (value === undefined) return [];
  if ("sql" in value) {
    if (from.defaultInDoubt === "digits")
      note(
        "default",
        from.name,
        "reported",
        "the source's server shows six digits and does not tell whether it has more",
      );
    return [`DEFAULT ${value.sql}`];
  }
  if ("reported" in value) {
    note("default", from.name, "reported", `${value.reported} is not copied`, from.default ?? undefined);
    return [];
  }
  const draws = drawsFrom(scheme, value.expression);
  if (draws !== undefined) return [`DEFAULT ${draws}`];
  const read = source.columns.find((one) => mentions(withoutTexts(value.expression), one));
  const reads = read && { reason: `it reads column ${read.name}, and PostgreSQL's defaults read none` };
  const translated = reason ?? reads ?? translate(value.expression, "default", column);
  if ("sql" in translated) {
    column.translated = true;
    return [`DEFAULT (${translated.sql})`];
  }
  const words = `its expression is not translated: ${translated.reason}`;
  note("default", from.name, "reported", words, readable(scheme, value.expression));
  return [];
}

const withoutTexts = (expression: string): string => expression.replace(/'(?:[^'\\]|''|\\.)*(?:'|\\?$)/gs, "''");
