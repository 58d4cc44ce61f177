import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { isJsonAlias, type SourceColumn, type SourceTable, unescaped } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import {
  foldColumn,
  type PresentColumn,
  presentColumn,
  presentFields,
  refuseUnfit,
  requireColumns,
  unwritable,
} from "../../../mysql/target/present-columns.ts";
import { usualCharset } from "../../fits/charsets.ts";
import { type CheckCondition, sameConditions } from "../../fits/conditions.ts";
import { fitIntoMysql } from "../../fits/into-mysql.ts";
import { mysqlValueType } from "../../fits/mysql-type.ts";
import { mysqlDoubt } from "../../fits/mysql-values.ts";
import { nullChecks } from "../../fits/nulls.ts";
import type { Fit } from "../../fits/types.ts";
import type { Doubt } from "../../fits/values.ts";
import { loadedAs } from "./existing-columns.ts";
import type { DefinedTable } from "./plan-tables.ts";
import { isPeriod } from "./row-times.ts";
import { isGenerated, isNumbered, type TablePlan } from "./table-plan.ts";
import { isFilled } from "./take-present.ts";

/** Rows alone, into tables that are there. */

/** How a table's rows come into the one that is there. */
export interface DataOnlyPlan {
  source: SourceTable;
  /** Made anew at each call: plans of ten thousand tables are never in memory together. */
  plan(): TablePlan;
  /** Columns whose values may not fit. */
  doubts: Doubt[];
}

/**
 * What is looked at before any row is written; only reads. Errors: `schema_differs` where a
 * table or column is missing or cannot take every value; `target_not_empty`, where the options do not say that it may be emptied.
 */
export async function checkPresent(
  session: Session,
  database: string,
  define: () => DefinedTable,
  drop: readonly string[],
  charsets: ReadonlySet<string>,
  conditions: ReadonlyMap<string, readonly CheckCondition[]>,
): Promise<DataOnlyPlan> {
  const usual = define().plan(new Set());
  const { name, source } = usual;
  const words = printable(name);
  const here = `TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(name)}`;
  const rows = await session.query(`SELECT ${presentFields} FROM information_schema.COLUMNS WHERE ${here}`);
  const columns = new Map(rows.map(presentColumn).map((column) => [foldColumn(column.name), column]));
  const [[type] = []] = await session.query(`SELECT TABLE_TYPE FROM information_schema.TABLES WHERE ${here}`);
  if (columns.size === 0 || (type !== "BASE TABLE" && type !== "SYSTEM VERSIONED"))
    throw new EngineError(
      "schema_differs",
      `the target has no table ${words}, whose rows were to be copied${type === "VIEW" ? ", but a view of that name" : ""}: make it, or leave out the option content`,
    );
  const { maria } = session.server;
  const plain = new Set(source.columns.flatMap((column) => (isPlainThere(column, columns) ? [column.name] : [])));
  const planned = () => dataOnlyOf(define, plain, { there: columns, maria, charsets });
  const { plan, doubts } = planned();
  doubts.push(...conditionsOf(plan, columns, maria, conditions.get(name) ?? []));
  await isFilled(session, database, name, drop);
  return { source, plan: () => planned().plan, doubts };
}

interface Present {
  there: ReadonlyMap<string, PresentColumn>;
  maria: boolean;
  charsets: ReadonlySet<string>;
}

/** Outside of what sees a plan, which a function that is returned would keep. `plain`: columns that the target does not compute. */
function dataOnlyOf(define: () => DefinedTable, plain: ReadonlySet<string>, { there, maria, charsets }: Present) {
  const defined = define();
  const plan =
    plain.size === 0
      ? defined.plan(new Set())
      : defined.without(({ kind, name }) => kind === "column" && plain.has(name));
  return dataOnlyPlanOf(plan, there, maria, charsets);
}

/** The source computes it and the target does not: it takes the source's values. */
const isPlainThere = (column: SourceColumn, there: ReadonlyMap<string, PresentColumn>): boolean =>
  isGenerated(column) && !isPeriod(column) && there.get(foldColumn(column.name))?.generated === false;

function dataOnlyPlanOf(
  plan: TablePlan,
  there: ReadonlyMap<string, PresentColumn>,
  maria: boolean,
  charsets: ReadonlySet<string>,
): { plan: TablePlan; doubts: Doubt[] } {
  requireColumns(plan.name, plan.columns, there);
  const loaded = new Set(plan.columns.map(({ name }) => foldColumn(name)));
  const sources = plan.source.columns.filter(({ name }) => loaded.has(foldColumn(name)));
  const of = ({ name }: SourceColumn) => there.get(foldColumn(name)) as PresentColumn;
  const other = sources.filter((column) => isNumbered(column) && of(column).type !== column.columnType);
  if (other.length > 0)
    throw new EngineError(
      "schema_differs",
      `table ${printable(plan.name)} of the target has other labels in the columns ${printable(other.map((column) => column.name).join(", "))}, whose values are copied by number since one of them is empty or like another: give it the source's list`,
    );
  const doubts: Doubt[] = [];
  const unfit = sources.flatMap((column) => {
    const { type } = of(column);
    const refused = unwritable({ ...column, generated: isGenerated(column) }, of(column));
    if (refused !== undefined) return [refused];
    const fit = columnFit(plan, column, of(column), maria);
    if (fit === "never")
      return [`${column.name}: a column of type ${type} would change values that are meant for ${column.columnType}`];
    const checks = [...nullChecks(column, of(column)), ...(fit === "always" ? [] : fit)];
    if (checks.length > 0)
      doubts.push(mysqlDoubt(column.name, formatType(column, of(column)), checks, measured(column, type)));
    const halves = surrogates(column, of(column));
    if (halves !== undefined) doubts.push(halves);
    return [];
  });
  refuseUnfit(plan.name, unfit, "give these columns the source's types");
  return { plan: loadedAs(plan, sources, of, { maria, charsets }), doubts };
}

/** What the target's checks ask, and no check of the source has proven, of columns that have one type on both sides. */
function conditionsOf(
  { source, checked }: TablePlan,
  there: ReadonlyMap<string, PresentColumn>,
  maria: boolean,
  conditions: readonly CheckCondition[],
): Doubt[] {
  const alike = source.columns.filter(({ name, columnType, collation, generation }) => {
    const to = there.get(foldColumn(name));
    return (
      generation === "" && to?.name === name && oneWord(to.type) === oneWord(columnType) && to.collation === collation
    );
  });
  const held = new Set(source.checks.flatMap(({ clause, enforced }) => (checked && enforced ? [clause] : [])));
  const asked = conditions
    .filter(({ clause }) => !held.has(clause))
    .map(({ name, clause }) => ({ name, clause: maria ? clause : unescaped(clause) }));
  return sameConditions(asked, "mysql", {
    same: new Map(alike.map(({ name, columnType }) => [name, { name, types: [columnType, columnType] as const }])),
    texts: new Set(),
  });
}

/** By the table of rules, with the character sets where they differ. */
function columnFit(plan: TablePlan, column: SourceColumn, to: PresentColumn, maria: boolean): Fit {
  const alike = usualCharset(column.characterSet) === usualCharset(to.charset);
  if ((column.columnType === to.type || takes(plan, column, to.type)) && (alike || column.characterSet === null))
    return "always";
  const [from, into] = [
    mysqlValueType(column.columnType, column.characterSet, maria),
    mysqlValueType(to.type, to.charset, maria),
  ];
  if (takes(plan, column, to.type) && into.is !== "text") return "always";
  // It is read as a double.
  const double = from.is === "float" && into.is === "float" && into.bits === 53;
  return fitIntoMysql(double ? { ...from, bits: 53 } : from, into);
}

/** UCS-2 keeps halves of characters, which other sets have no bytes for: a server would write text that is ill-formed. */
function surrogates(column: SourceColumn, to: PresentColumn): Doubt | undefined {
  const charset = usualCharset(to.charset);
  if (column.characterSet !== "ucs2" || charset === null || charset === "ucs2" || charset === "binary")
    return undefined;
  const bytes = `CAST(CONVERT(${identifier(column.name)} USING utf8mb4) AS BINARY)`;
  const seconds = Array.from({ length: 32 }, (_, at) => (0xa0 + at).toString(16));
  const found = seconds.map((second) => `LOCATE(x'ed${second}', ${bytes}) > 0`).join(" OR ");
  // MySQL converts it here into a question mark; MariaDB's patterns give up on long texts.
  const sql = `(${found} OR HEX(${identifier(column.name)}) REGEXP '^(....)*D[89A-F]')`;
  return {
    column: column.name,
    types: formatType(column, to),
    misfits: [{ check: { check: "charset", charset }, sql }],
  };
}

/** A floating number as it is read, where its digits are looked at: with as many as (M,D) shows of it. */
function measured({ name, columnType, dataType }: SourceColumn, type: string): string {
  const column = identifier(name);
  if ((dataType !== "float" && dataType !== "double") || !/^(?:float|double)\b/i.test(type)) return column;
  const wide = dataType === "float" ? `(${column} * 1e0)` : column;
  const scale = /^\w+\(\d+,(\d+)\)/.exec(columnType)?.[1];
  return scale === undefined ? wide : `ROUND(${wide}, ${scale})`;
}

const formatType = (column: SourceColumn, { type, charset }: PresentColumn): [string, string] =>
  usualCharset(column.characterSet) === usualCharset(charset)
    ? [column.columnType, type]
    : [`${column.columnType} ${column.characterSet ?? ""}`.trim(), `${type} ${charset ?? ""}`.trim()];

/** The same type in the words of older servers, and of MariaDB. */
const oneWord = (type: string): string =>
  type.replace(/^(year|\w*int)\(\d+\)(?!.*zerofill)/, "$1").replace(/^geomcollection\b/, "geometrycollection");

/** What only servers of these two kinds have. */
function takes({ source }: TablePlan, column: SourceColumn, type: string): boolean {
  if (oneWord(column.columnType) === oneWord(type)) return true;
  const to = type.replace(/\(.*/s, "").toLowerCase();
  // (M,D) rounds.
  if (column.dataType === "float") return to === "double" && !type.includes("(");
  if (to === "json") return isJsonAlias(source, column);
  const text = /^(?:char|varchar|text|mediumtext|longtext)$/.test(to);
  return text && ["uuid", "inet4", "inet6", "year", "set"].includes(column.dataType);
}
