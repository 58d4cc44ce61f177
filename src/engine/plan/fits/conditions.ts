import { type ColumnMeaning, type DatabaseProduct, translateExpression } from "../translate/index.ts";
import { plainCondition } from "../translate/plain.ts";
import type { Doubt } from "./values.ts";

/** Checks of a table that is there: asked of the source's rows before one is written, where the source can answer. Pure. */

export interface CheckCondition {
  name: string;
  /** As the target's server shows it, without CHECK. */
  clause: string;
}

interface Pair {
  /** In the source. */
  name: string;
  types: Doubt["types"];
}

/**
 * Between servers of one kind. `same`: the columns by the target's name that mean the same on both sides; those whose texts
 * may be sorted otherwise are `texts`. What cannot be asked is left out: the target itself refuses such rows.
 */
export function sameConditions(
  conditions: readonly CheckCondition[],
  dialect: "mysql" | "postgres",
  { same, texts }: { same: ReadonlyMap<string, Pair>; texts: ReadonlySet<string> },
): Doubt[] {
  return conditions.flatMap(({ name, clause }) => {
    const found = plainCondition(clause, dialect);
    if (found === undefined) return [];
    const columns = [...found.columns];
    const pairs = columns.flatMap((column) => same.get(column) ?? []);
    const [first] = pairs;
    if (first === undefined || pairs.length < columns.length) return [];
    if (found.orders && columns.some((column) => texts.has(column))) return [];
    return [{ column: first.name, types: first.types, misfits: [misfit(name, clause)] }];
  });
}

/** Into the other kind: by the translator. `columns`: by the target's name. */
export function crossConditions(
  conditions: readonly CheckCondition[],
  sides: { from: DatabaseProduct; to: DatabaseProduct },
  columns: ReadonlyMap<string, ColumnMeaning & Pick<Pair, "types">>,
): Doubt[] {
  return conditions.flatMap(({ name, clause }) => {
    const translated = translateExpression(clause, { ...sides, columns, use: "check" });
    const [, first] = [...columns].find(([column]) => clause.includes(column)) ?? [];
    if ("reason" in translated || first === undefined) return [];
    return [{ column: first.name, types: first.types, misfits: [misfit(name, translated.sql)] }];
  });
}

const misfit = (name: string, sql: string): Doubt["misfits"][number] => ({
  check: { check: "condition", name },
  sql: `NOT (${sql})`,
});
