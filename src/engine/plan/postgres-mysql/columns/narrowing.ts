import { EngineError } from "../../../contract/index.ts";
import { type ColumnDefinition, type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { kind } from "../../../rows/copy-to-load/fields.ts";
import { mysqlShapes } from "../../../verify/checksum/expressions.ts";
import { encodedChecks } from "../../fits/characters.ts";
import { fitIntoMysql } from "../../fits/into-mysql.ts";
import { mysqlValueType } from "../../fits/mysql-type.ts";
import { becomesNull, nullChecks } from "../../fits/nulls.ts";
import { postgresValueType } from "../../fits/postgres-type.ts";
import { postgresDoubt } from "../../fits/postgres-values.ts";
import { fitOf } from "../../fits/rules.ts";
import type { Fit, ValueType } from "../../fits/types.ts";
import type { Doubt } from "../../fits/values.ts";
import type { ColumnPlan } from "./column-plan.ts";
import type { TargetType } from "./target-type.ts";
import { selectColumn } from "./types.ts";

/** Columns whose values a type that is there, or that the user named, may cut or round: by the table of rules. Pure. */

const sourceType = ({ base, written, sort, labels }: ColumnDefinition): ValueType =>
  sort === "e" ? { is: "labels", many: false, labels: labels ?? [] } : postgresValueType(base ?? written);

/** Moments are written in UTC, which is the target's session's time zone. */
const inUtc = (from: ValueType, to: ValueType): ValueType =>
  to.is === "timestamp" ? { ...to, zone: from.is === "timestamp" && from.zone } : to;

/** `present`: the type that is there, as the server writes it. */
export function fitPresent(
  column: ColumnPlan,
  present: { type: string; charset: string | null; notNull: boolean; characters?: string | undefined },
  maria: boolean,
): { fit: Fit; doubt: Doubt | undefined } {
  const source = sourceType(column.source);
  const to = mysqlValueType(present.type, present.charset, maria);
  const planned = mysqlValueType(column.sql, null, maria);
  const fit = withCharacters(fitOfPlanned(source, planned, to), present);
  return { fit, doubt: withNulls(column, present, doubtOf(column, present.type, fit)) };
}

/** The target's server alone knows what its character set has. */
const withCharacters = (fit: Fit, { characters }: { characters?: string | undefined }): Fit =>
  typeof fit === "string" || characters === undefined
    ? fit
    : fit.map((check) => (check.check === "charset" ? { ...check, characters } : check));

/** What the copy makes NULL (field-ends.ts), as SQL of the value's text. */
const unknown = new Map<number, string>([
  [kind.float, "~ '[NI]'"],
  [kind.numeric, "~ '[NI]'"],
  [kind.date, "!~ '^[0-9]{4}-.*[^C]$'"],
]);

/** The same, and for a column that takes no NULL whether there are any. */
function withNulls(
  { source, type }: ColumnPlan,
  present: { type: string; notNull: boolean },
  doubt: Doubt | undefined,
): Doubt | undefined {
  const value = `(${selectColumn(source, type)})`;
  const types = [source.written, present.type] as const;
  const nulls = postgresDoubt(source.name, types, nullChecks({ nullable: !source.notNull }, present), value).misfits;
  const lost = present.notNull ? unknown.get(type.kind) : undefined;
  const misfits = [
    ...nulls,
    ...(lost === undefined
      ? []
      : [becomesNull("a value that MySQL does not know", `${value}::pg_catalog.text ${lost}`)]),
    ...(doubt?.misfits ?? []),
  ];
  return misfits.length === 0 ? undefined : { column: source.name, types, misfits };
}

const measured = new Set(["integer", "decimal", "float", "date", "timestamp", "time"]);

/** By the source's own type, but where the copy's usual type writes another sort of value. */
function fitOfPlanned(source: ValueType, planned: ValueType, to: ValueType): Fit {
  if (source.is === "text") return fitIntoMysql(source, to);
  if (source.is === planned.is) {
    // The engines' own types may share a name, and a real is written into a DOUBLE.
    const from = source.is === "other" || source.is === "float" ? planned : source;
    return fitIntoMysql(from, source.is === "timestamp" && source.zone ? inUtc(source, to) : to);
  }
  // It is written as 0 or 1, whatever else the planned type takes; and PostgreSQL has no order of booleans and numbers to look by.
  if (source.is === "boolean" && planned.is === "integer")
    return fitIntoMysql({ is: "integer", low: 0n, high: 1n }, to);
  // The user named the planned type.
  if (measured.has(source.is) && measured.has(planned.is)) return fitOf(source, inUtc(source, to), "mysql");
  return fitIntoMysql(planned, to);
}

/** Errors: `option_invalid` for a type that `options.types` names and that takes no value as it is. */
export function doubtsOfNamed(
  table: TableDefinition,
  columns: readonly ColumnPlan[],
  isNamed: (column: string) => boolean,
  maria: boolean,
): Doubt[] {
  return columns.flatMap((column) => {
    if (!isNamed(column.source.name)) return [];
    const from = sourceType(column.source);
    const fit = fitNamed(from, column.type, maria);
    const keeps =
      from.is === "other" && from.name === "uuid" ? "char(36)" : from.is === "text" ? "longtext" : undefined;
    if (fit === "never")
      throw new EngineError(
        "option_invalid",
        `options.types gives ${tableName(table)}.${column.source.name} the type ${column.sql}, and no conversion of ${column.source.written} to it keeps the values: choose another type${keeps === undefined ? "" : `, as ${keeps}, which keeps their text`}`,
      );
    return doubtOf(column, column.sql, fit) ?? [];
  });
}

type WithDoubts = { doubts: readonly Doubt[]; loaded: readonly ColumnPlan[] };

/** Sets of characters that the doubts ask of, and that only the target's server knows. Plans are looked at one by one. */
export function setsOf(plans: Iterable<WithDoubts>): string[] {
  const sets = new Set<string>();
  for (const { doubts } of plans)
    for (const { misfits } of doubts)
      for (const { check } of misfits)
        if (check.check === "charset" && check.characters === undefined) sets.add(check.charset);
  return [...sets];
}

/** The doubts with what the sets have; in a database of SQL_ASCII any text may be none in UTF-8. */
export function doubtsWith(plan: WithDoubts, known: ReadonlyMap<string, string>, encoding?: string): Doubt[] {
  const own = [...withSets(plan, known), ...plan.loaded.flatMap(boundsOf)];
  if (encoding !== "SQL_ASCII") return own;
  return [
    ...own,
    ...plan.loaded.flatMap(({ source, sql }) => {
      const checks = encodedChecks(sourceType(source));
      return checks.length === 0 ? [] : [postgresDoubt(source.name, [source.written, sql], checks)];
    }),
  ];
}

/** JSON has no bounds; they are in an array's text alone. */
function boundsOf({ source, type, sql }: ColumnPlan): Doubt[] {
  const isJson = source.array && type.select?.("x").includes("to_json") === true;
  return isJson ? [postgresDoubt(source.name, [source.written, sql], [{ check: "bounds" }])] : [];
}

const withSets = ({ doubts, loaded }: WithDoubts, known: ReadonlyMap<string, string>): Doubt[] =>
  doubts.map((doubt) => {
    const column = loaded.find(({ source: { name } }) => name === doubt.column);
    if (column === undefined) return doubt;
    const value = `(${selectColumn(column.source, column.type)})`;
    return {
      ...doubt,
      misfits: doubt.misfits.flatMap((misfit) => {
        const { check } = misfit;
        const characters = check.check === "charset" ? (check.characters ?? known.get(check.charset)) : undefined;
        if (check.check !== "charset" || characters === undefined) return [misfit];
        return postgresDoubt(doubt.column, doubt.types, [{ ...check, characters }], value).misfits;
      }),
    };
  });

function fitNamed(from: ValueType, type: TargetType, maria: boolean): Fit {
  if (type.kind === kind.shape) return "always";
  const to = mysqlValueType(type.sql, null, maria);
  if (from.is === "bits") return intoNamedBits(from, to);
  if (["text", "labels", "other"].includes(from.is) && type.json !== true && reshapes(to)) return "never";
  // Their text has 36 characters.
  if (from.is === "other" && from.name === "uuid" && to.is === "bytes" && (to.most ?? 36) < 36) return "never";
  if (from.is === "boolean" && to.is !== "text") return fitOf({ is: "integer", low: 0n, high: 1n }, to, "mysql");
  return fitOf(from, inUtc(from, to), "mysql");
}

/** A number would be made of the digits, and of bits whose length varies none knows how many zeros they begin with. */
function intoNamedBits(from: Extract<ValueType, { is: "bits" }>, to: ValueType): Fit {
  if (to.is === "text") return fitOf(from, to, "mysql");
  const isKept = to.is === "bits" && !from.varying && from.most !== undefined && from.most === to.most;
  return isKept ? "always" : "never";
}

/** MySQL makes another value of a text in such a column: the number of its bytes, a year of this century, JSON in its own order. */
const reshapes = (to: ValueType): boolean =>
  to.is === "bits" || (to.is === "other" && (to.name === "json" || to.name === "year" || mysqlShapes.has(to.name)));

const doubtOf = ({ source, type }: ColumnPlan, into: string, fit: Fit): Doubt | undefined =>
  typeof fit === "string"
    ? undefined
    : postgresDoubt(source.name, [source.written, into], fit, `(${selectColumn(source, type)})`);
