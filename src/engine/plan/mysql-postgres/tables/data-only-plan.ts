import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { isJsonAlias, type SourceColumn, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier as sourceIdentifier, qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import { crossConditions } from "../../fits/conditions.ts";
import { mysqlDoubt } from "../../fits/mysql-values.ts";
import { becomesNull, nullChecks } from "../../fits/nulls.ts";
import type { Doubt } from "../../fits/values.ts";
import type { ColumnMeaning } from "../../translate/index.ts";
import type { ColumnPlan, Scheme } from "../columns/column-plan.ts";
import { isGenerated } from "../columns/expressions.ts";
import { intoType, plainType } from "../columns/overrides.ts";
import { isIncrement, type TargetType, targetType } from "../columns/types.ts";
import { called, type ExistingColumn, type ExistingCounter, type ExistingTable } from "./existing-tables.ts";
import { nextValue, setNext, spentEntry } from "./next-value.ts";
import type { TablePlan } from "./table-plan.ts";

/** Content `data`: what becomes of a table whose rows come into one that is there. Pure. Errors: `schema_differs`. */
export function planDataOnly(scheme: Scheme, source: SourceTable, there: ExistingTable): TablePlan {
  const table = qualified(there.schema, there.name);
  const inventory: InventoryEntry[] = [
    { kind: "table", name: source.name, outcome: "copied", note: "rows alone, into the table that was there" },
  ];
  const after: string[] = [];
  const meanings = new Map<string, ColumnMeaning & Pick<Doubt, "types">>();
  const computed: ColumnPlan[] = [];
  const copied = source.columns.flatMap((column): ColumnPlan[] => {
    const target = called(there.columns, column.name);
    const name = `${source.name}.${column.name}`;
    if (target === undefined || target.computed) {
      if (target !== undefined && !isGenerated(column))
        throw new EngineError(
          "schema_differs",
          `table ${printable(fullName(there.schema, there.name))} of the target cannot take every value of the source: ${printable(target.name)} is generated in the target and a plain column in the source; make it a plain column, or leave the table out`,
        );
      const note = target === undefined ? "generated in the source, and not in the target" : "computed by the target";
      inventory.push({ kind: "column", name, outcome: "not_applicable", note });
      if (target !== undefined) computed.push(computedColumn(column, target));
      return [];
    }
    const usual = targetType(column, {
      inForeignKey: false,
      isJson: isJsonAlias(source, column),
      postgis: scheme.postgis,
      observed: { wide: 0, nullable: !target.notNull },
    });
    const { type: sql, base, written, labels, parts } = target;
    const type = intoType(column, { sql, base: plainType(base), written, labels, parts }, usual);
    if (type === undefined)
      throw new EngineError(
        "schema_differs",
        `column ${name} is ${column.columnType} and ${target.type} in the target, and no conversion keeps the values: change the target's column`,
      );
    inventory.push({ kind: "column", name, outcome: "copied", note: `${column.columnType} → ${target.type}` });
    if (isIncrement(column) && target.counter !== null) {
      after.push(countOn(table, target.name, source.autoIncrement, target.counter));
      inventory.push(...spentEntry(name, source.autoIncrement, target.counter.most));
    }
    const nullable = !target.notNull;
    const sorted = target.collation !== null || !/char|text|name/.test(written);
    if (sorted)
      meanings.set(target.name, {
        name: column.name,
        sourceType: written,
        targetType: column.columnType,
        nullable: column.nullable,
        collation: target.collation,
        ...(labels === null ? {} : { labels }),
        types: [column.columnType, target.type],
      });
    return [
      {
        source: column,
        name: target.name,
        type: withNulls(column, target, type, scheme.zero),
        sql: target.type,
        nullable,
        identity: false,
        computed: false,
        forced: true,
        wide: 0,
      },
    ];
  });
  addConditions(scheme, there, copied, meanings);
  return {
    source,
    name: there.name,
    partitioned: there.partitioned,
    columns: [...copied, ...computed],
    copied,
    fields: copied.map(({ type, nullable }) => ({
      ...type.field,
      nullable,
      ...(scheme.zero === undefined ? {} : { zero: scheme.zero }),
    })),
    checks: [],
    made: [],
    create: [],
    drop: [],
    select: `SELECT ${copied.map(({ type }) => type.select).join(", ")} FROM ${sourceQualified(scheme.database, source.name)}`,
    copy: `COPY ${table} (${copied.map(({ name }) => identifier(name)).join(", ")}) FROM STDIN`,
    indexes: [],
    after,
    madeAfter: [],
    inventory,
  };
}

/** Not copied, but compared. */
const computedColumn = (column: SourceColumn, { name, type, notNull }: ExistingColumn): ColumnPlan => ({
  source: column,
  name,
  type: targetType(column, { inForeignKey: false, isJson: false, observed: { wide: 0, nullable: !notNull } }),
  sql: type,
  nullable: !notNull,
  identity: false,
  computed: true,
  forced: true,
  wide: 0,
});

/** With a doubt for a column that takes no NULL and may be given one. */
function withNulls(column: SourceColumn, target: ExistingColumn, type: TargetType, zero: Scheme["zero"]): TargetType {
  const types = [column.columnType, target.type] as const;
  const nulls = mysqlDoubt(column.name, types, nullChecks(column, target)).misfits;
  const lost = target.notNull && zero === undefined && type.field.kind === kind.date;
  const misfits = [
    ...nulls,
    ...(lost ? [becomesNull("a date that PostgreSQL does not know", noDate(sourceIdentifier(column.name)))] : []),
    ...(type.doubt?.misfits ?? []),
  ];
  return misfits.length === 0 ? type : { ...type, doubt: { column: column.name, types, misfits } };
}

/** What the target's checks ask, where the source can be asked for it. */
function addConditions(
  scheme: Scheme,
  { conditions = [] }: ExistingTable,
  columns: readonly ColumnPlan[],
  meanings: ReadonlyMap<string, ColumnMeaning & Pick<Doubt, "types">>,
): void {
  const from = { engine: "postgres", version: scheme.targetVersion } as const;
  const to = { engine: mysqlEngine(scheme), version: scheme.sourceVersion };
  for (const { column, types, misfits } of crossConditions(conditions, { from, to }, meanings)) {
    const plan = columns.find(({ source }) => source.name === column);
    if (plan !== undefined)
      plan.type = {
        ...plan.type,
        doubt: {
          column,
          types: plan.type.doubt?.types ?? types,
          misfits: [...(plan.type.doubt?.misfits ?? []), ...misfits],
        },
      };
  }
}

const noDate = (value: string) =>
  `(${value} IS NOT NULL AND (YEAR(${value}) = 0 OR LAST_DAY(${value}) IS NULL OR DAYOFMONTH(${value}) > DAYOFMONTH(LAST_DAY(${value}))))`;

/** The sequence of a column goes on after the largest value, or from the source's next number; it is never set back. */
function countOn(
  table: string,
  column: string,
  next: string | null,
  { name, last, readable }: ExistingCounter,
): string {
  const set = setNext(name, nextValue(table, column, next), last);
  return readable ? `${set}, ${name} s WHERE f.n > s.last_value::numeric + s.is_called::int` : set;
}
