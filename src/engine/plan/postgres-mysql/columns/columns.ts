import type { ColumnDefinition } from "../../../postgres/catalogue/catalogue.ts";
import type { Names } from "../../unique-names.ts";
import type { ColumnPlan, ColumnPlanning } from "./column-plan.ts";
import { overridden } from "./overrides.ts";
import { nothingObserved, outOfRow, targetType } from "./types.ts";

/** Names and types of a table's columns, made to fit into one row. Pure. */

export function planColumn(column: ColumnDefinition, names: Names, planning: ColumnPlanning): ColumnPlan {
  const { scheme, observedTypes, keyed } = planning;
  const observed = observedTypes.get(column.name) ?? nothingObserved;
  const characters = keyed.get(column.name);
  const joined = planning.joined(column.name);
  const usual = targetType(column, {
    maria: scheme.maria,
    version: scheme.version,
    srids: scheme.srids,
    observed,
    ...(characters === undefined ? {} : { keyed: characters }),
    ...(joined === undefined ? {} : { joined }),
  });
  const override = planning.override(column.name);
  const type = override === undefined ? usual : overridden(usual, override);
  return {
    source: column,
    name: names.take(column.name, column.name),
    type,
    sql: type.sql,
    nullable: !column.notNull || observed.nullable,
    generated: false,
  };
}

const rowBytes = 65_000;

/** MySQL's rows hold 65,535 bytes beside what lies out of them: the longest texts that are in no key go out. */
export function fitRow(columns: readonly ColumnPlan[], keyed: ReadonlyMap<string, number>): ColumnPlan[] {
  const fitted = [...columns];
  const total = () => fitted.reduce((sum, { type }) => sum + type.bytes + 1, 0);
  while (total() > rowBytes) {
    const candidates = fitted.filter(
      ({ type, source }) => type.text !== undefined && type.bytes > 64 && !keyed.has(source.name),
    );
    const [widest] = candidates.sort((a, b) => b.type.bytes - a.type.bytes);
    if (widest === undefined) break;
    const type = outOfRow(widest.type);
    fitted[fitted.indexOf(widest)] = { ...widest, type, sql: type.sql };
  }
  return fitted;
}
