import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Characters } from "../../../postgres/catalogue/encoding-characters.ts";
import { isMoney } from "../../../postgres/catalogue/money.ts";
import type { DataColumn, DataTable } from "../../../postgres/catalogue/tables.ts";
import type { TypePart } from "../../../postgres/catalogue/type-parts.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { characterChecks } from "../../fits/characters.ts";
import { type CheckCondition, sameConditions } from "../../fits/conditions.ts";
import { nullChecks } from "../../fits/nulls.ts";
import { postgresValueType } from "../../fits/postgres-type.ts";
import { type PostgresDoubtful, postgresDoubt } from "../../fits/postgres-values.ts";
import { fitOf } from "../../fits/rules.ts";
import type { Check, ValueType } from "../../fits/types.ts";
import type { Doubt } from "../../fits/values.ts";
import { relationOf } from "./loaded-tables.ts";

/** Content `data`: the columns that are there, and whether the source's values fit into them. Pure. */

export interface ExistingTable {
  at: number;
  found: boolean;
  columns: ThereColumn[];
  filled: boolean;
  /** By column, of the source's and the target's types (type-parts.ts). */
  parts?: Readonly<Record<"source" | "target", ReadonlyMap<string, TypePart[]>>>;
  /** Checks of the target that the source's own do not imply. */
  conditions?: readonly CheckCondition[];
}

interface ThereColumn {
  name: string;
  type: string;
  base: string;
  /** Of an enumeration. */
  labels: string[] | null;
  notNull: boolean;
  generated: boolean;
  /** It has to be given a value. */
  required: boolean;
}

/** A 64-bit number of cents. */
const mostMoney = 92_233_720_368_547_757n;

/** Its text is what the target reads: an amount of money is no number in it, and a date may be one that no timestamp knows. */
function sourceType(base: string, enumerated: boolean): ValueType {
  if (isMoney(base)) return { is: "other", name: "money" };
  const type = postgresValueType(base, enumerated);
  return type.is === "date" ? { ...type, late: true } : type;
}

/** By the table of rules. */
function checksOf(
  column: DataColumn,
  present: ThereColumn,
  parts: ExistingTable["parts"],
): readonly Check[] | "never" | { differs: string } {
  const [labels, known] = [column.labels, present.labels];
  if (labels !== null && known !== null)
    return labels.every((label) => known.includes(label)) ? [] : [{ check: "label", labels: known }];
  if (column.base === present.base)
    return partsFit(parts?.source.get(column.name) ?? [], parts?.target.get(column.name) ?? []);
  const [from, to] = [sourceType(column.base, labels !== null), postgresValueType(present.base, known !== null)];
  const fit = fitOf(from, to);
  if (fit === "never") return fit;
  const checks = fit === "always" ? [] : fit;
  const small = from.is === "integer" && from.low >= -mostMoney && from.high <= mostMoney;
  if (isMoney(present.base) && from.is !== "other" && !small)
    return [{ check: "range", low: -mostMoney, high: mostMoney }, ...checks];
  return isWidest(from) && !isWidest(to) && to.is === "decimal" ? [{ check: "finite" }, ...checks] : checks;
}

const isWidest = (type: ValueType): boolean => type.is === "decimal" && type.precision === undefined;

/**
 * Types of one name whose parts may differ: what to look for in the values, or the part that differs. Their text has no names of fields,
 * and is cut to the target's lengths.
 */
function partsFit(source: readonly TypePart[], target: readonly TypePart[]): readonly Check[] | { differs: string } {
  const checks: Check[] = [];
  for (const at of Array(Math.max(source.length, target.length)).keys()) {
    const [from, to] = [source[at], target[at]];
    if (from === undefined || to === undefined || from.path !== to.path) return { differs: pathOf(to ?? from) };
    if (from.labels !== null && to.labels !== null) {
      const known = to.labels;
      if (from.labels.every((label) => known.includes(label))) continue;
      if (from.path !== "[]") return { differs: pathOf(to) };
      checks.push({ check: "labels", labels: known });
    } else if (from.type !== to.type && !keeps(from, to)) return { differs: pathOf(to) };
  }
  return checks;
}

const pathOf = (part: TypePart | undefined): string => part?.path ?? "";

/** A field whose type takes every value of the other. */
const keeps = (from: TypePart, to: TypePart): boolean =>
  from.labels === null &&
  to.labels === null &&
  fitOf(postgresValueType(from.type), postgresValueType(to.type)) === "always";

/** SQL of a column as the present one reads it: a whole number takes no digits after a point, even if they are zeros. */
export function readFor({ name, base }: DataColumn, present: Pick<ThereColumn, "base">): string | undefined {
  const [from, to] = [postgresValueType(base), postgresValueType(present.base)];
  return from.is === "decimal" && to.is === "integer" ? `pg_catalog.trunc(${identifier(name)})` : undefined;
}

/** Columns of numbers that go into columns of money, as messages name them. */
export const amountsOf = (tables: readonly DataTable[], there: readonly ExistingTable[]): string[] =>
  tables.flatMap(({ schema, name, columns }, at) =>
    columns
      .filter((column) => {
        const present = there[at]?.columns.find((one) => one.name === column.name);
        return present !== undefined && isMoney(present.base) && !isMoney(column.base);
      })
      .map((column) => `${schema}.${name}.${column.name}`),
  );

/** What the target's checks ask of columns that have one type on both sides. */
function conditionsOf(table: DataTable, there: ExistingTable | undefined): Doubt[] {
  const alike = table.columns.filter(
    (column) => there?.columns.find(({ name }) => name === column.name)?.base === column.base,
  );
  const isText = ({ base, labels }: DataColumn) => labels !== null || !plainOrder.has(postgresValueType(base).is);
  return sameConditions(there?.conditions ?? [], "postgres", {
    same: new Map(alike.map(({ name, type }) => [name, { name, types: [type, type] as const }])),
    texts: new Set(alike.filter(isText).map(({ name }) => name)),
  });
}

/** Values that every database sorts alike. */
const plainOrder = new Set<ValueType["is"]>([
  "integer",
  "decimal",
  "float",
  "boolean",
  "date",
  "timestamp",
  "time",
  "interval",
]);

/** Errors: `schema_differs` for columns that would change values without an error, or that want one which the source has not. */
export function doubtsOf(
  tables: readonly DataTable[],
  there: readonly ExistingTable[],
  encoding?: Characters,
): PostgresDoubtful[] {
  const name = (table: DataTable, column: string) => `${table.schema}.${table.name}.${column}`;
  const wanting = tables.flatMap((table, at) =>
    (there[at]?.columns ?? [])
      .filter((one) => one.required && !table.columns.some((column) => column.name === one.name))
      .map((one) => name(table, one.name)),
  );
  if (wanting.length > 0)
    throw new EngineError(
      "schema_differs",
      `the target has columns that are not in the source and need a value: ${printable(wanting.slice(0, 10).join(", "))}; give them a default`,
    );
  const unfit: string[] = [];
  const doubtful = tables.map((table, at): PostgresDoubtful => {
    const doubts = table.columns.flatMap((column) => {
      const present = there[at]?.columns.find((one) => one.name === column.name);
      if (present === undefined) return [];
      const fit = checksOf(column, present, there[at]?.parts);
      const types = [column.type, present.type] as const;
      if (fit !== "never" && !("differs" in fit)) {
        const checks = [
          ...nullChecks({ nullable: !column.notNull }, present),
          ...fit,
          ...characterChecks(sourceType(column.base, column.labels !== null), encoding),
        ];
        return checks.length === 0 ? [] : [postgresDoubt(column.name, types, checks)];
      }
      const part = fit === "never" ? "" : `, whose part ${column.name}${fit.differs} differs`;
      unfit.push(`${name(table, column.name)} (${column.type}, ${present.type} in the target${part})`);
      return [];
    });
    doubts.push(...conditionsOf(table, there[at]));
    const from = `FROM ${relationOf(table)} ${table.extension?.condition ?? ""}`;
    return { table: `${table.schema}.${table.name}`, bytes: table.bytes, doubts, parts: [from] };
  });
  if (unfit.length === 0) return doubtful;
  throw new EngineError(
    "schema_differs",
    `the target's columns would change values without an error: ${printable(unfit.slice(0, 10).join(", "))}; give them the source's types`,
  );
}
