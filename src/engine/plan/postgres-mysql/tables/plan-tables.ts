import type { CopyOptions } from "../../../contract/index.ts";
import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import type { TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import type { PostgresSource } from "../../../postgres/source/source.ts";
import { createRecent } from "../../../run/memory/recent.ts";
import type { ColumnPlanning, Expressions } from "../columns/column-plan.ts";
import { createExpressions } from "../columns/expressions.ts";
import { keyedColumns } from "../columns/key-lengths.ts";
import { checkOverrides, overrideOf } from "../columns/overrides.ts";
import { createScheme, type Scheme, type TargetFacts } from "../columns/scheme.ts";
import { createObservedTypes, type ReadonlyObservedTypes } from "../copy/observed-types.ts";
import { createTableState, plansOf, type TableState } from "../copy/state.ts";
import { joinedTypes, joinKey } from "./foreign-keys.ts";
import { rowsOf } from "./table-parts.ts";
import type { Plans, TablePlan } from "./table-plan.ts";
import { planTable } from "./table-statements.ts";

/** The plans of all tables, which know of each other what foreign keys and shared sequences make them share. */

/** Plans at hand: those of the tables that are copied now. */
const mostRecent = 64;
/** Up to this size a table is made with all its indexes. */
const smallBytes = 4 * 1024 * 1024;

export interface Planner {
  /** Largest first. */
  states: TableState[];
  /** Plans a table anew with what was learnt of it. */
  replan(plan: TablePlan, observedTypes: ReadonlyObservedTypes): TablePlan;
}

interface Planning {
  options: CopyOptions;
  /** The source's server_version_num. */
  version: number;
  /** With partitions. */
  all: readonly TableDefinition[];
  /** Where their rows are; an assessment and a verification, which read no rows, have none. */
  heaps?: PostgresSource["tables"];
}

/** `tables`: those that are copied. Errors: those of `options.types`. */
export function planAll(
  { options, version, all, heaps: found = [] }: Planning,
  facts: TargetFacts,
  tables: readonly TableDefinition[],
): Planner & { scheme: Scheme; plans: Plans } {
  const scheme = createScheme(facts, tables, options.schemas);
  checkOverrides(options.types, tables);
  const expressions =
    options.content === "data"
      ? nothing
      : createExpressions({ engine: "postgres", version }, { engine: mysqlEngine(scheme), version: scheme.version });
  const heaps = new Map(found.map((heap) => [heap.oid, heap]));
  const joined = joinedTypes(tables);
  const users = new Map<number, number>();
  for (const { columns } of tables)
    for (const { sequence } of columns)
      if (sequence !== null) users.set(sequence.oid, (users.get(sequence.oid) ?? 0) + 1);
  const referenced = new Map<number, string[][]>();
  for (const { foreignKeys } of tables)
    for (const { referencedOid, referencedColumns } of foreignKeys)
      referenced.set(referencedOid, [...(referenced.get(referencedOid) ?? []), referencedColumns]);
  const planning = (table: TableDefinition, observedTypes: ReadonlyObservedTypes, bytes: number): ColumnPlanning => ({
    scheme,
    expressions: observedTypes.refused === undefined ? expressions : refusing(observedTypes.refused),
    keyed: keyedColumns(table, referenced.get(table.oid) ?? [], scheme),
    observedTypes: observedTypes.columns,
    brokenChecks: observedTypes.brokenChecks,
    joined: (column) => joined.get(joinKey(table.oid, column)),
    override: (column) => overrideOf(options.types, table, column),
    related: table.foreignKeys.length > 0 || referenced.has(table.oid),
    users: (sequence) => users.get(sequence) ?? 0,
    small: bytes <= smallBytes && observedTypes.indexesLater !== true,
  });
  const nothingObserved = createObservedTypes();
  const bytes = new Map<number, number>();
  const recent = createRecent(
    (table: TableDefinition) => planTable(table, planning(table, nothingObserved, bytes.get(table.oid) ?? 0)),
    mostRecent,
  );
  const states = tables
    .map((table) => {
      const rows = rowsOf(table, all, heaps, options.jobs, version);
      bytes.set(table.oid, rows.bytes);
      // Before anything is written, so that what cannot be planned is refused.
      recent(table);
      return createTableState(table, rows, () => recent(table));
    })
    .sort((a, b) => b.rows.bytes - a.rows.bytes);
  return {
    scheme,
    states,
    plans: plansOf(states),
    replan: ({ source: table }, observedTypes) =>
      planTable(table, planning(table, observedTypes, bytes.get(table.oid) ?? 0)),
  };
}

/** Of a table whose expressions the target has refused. */
const refusing = (words: string): Expressions => ({
  translate: () => ({ reason: `the target refuses the translation of an expression of the table: ${words}` }),
});

/** Of rows alone: every column has its values from the source. */
const nothing: Expressions = { translate: () => ({ reason: "the target's own expressions stay" }) };
