import type { CopyOptions } from "../contract.ts";
import type { Source } from "../postgres/source.ts";
import { createRecent, createShelf } from "../shelf.ts";
import { type SourceTable, tableName } from "./catalogue.ts";
import type { Expressions, Planning } from "./column-plan.ts";
import { createExpressions } from "./expressions.ts";
import { joinedTypes, joinKey } from "./foreign-keys.ts";
import { withoutIndexes } from "./functional-indexes.ts";
import { keyedColumns } from "./keys.ts";
import { createLessons, type Lessons } from "./lessons.ts";
import { checkOverrides, overrideOf } from "./overrides.ts";
import { planTable, type TablePlan } from "./plan.ts";
import { type Rows, rowsOf } from "./relations.ts";
import type { Scheme } from "./scheme.ts";
import { type Plans, TableState } from "./table-state.ts";

/** The plans of all tables, which know of each other what foreign keys and shared sequences make them share. */

/** Up to this size a table is made with all its indexes. */
const smallBytes = 4 * 1024 * 1024;

/** Plans that are kept as they are; with more tables, others are made again. */
const mostPlans = 256;

export interface Planner {
  /** Largest first. */
  states: TableState[];
  /** Plans a table anew with what was learnt of it. */
  replan(plan: TablePlan, lessons: Lessons): TablePlan;
  /** From now on plans are as this function changes them. */
  adapt(adapted: (plan: TablePlan) => TablePlan): void;
}

interface Planned {
  options: CopyOptions;
  /** The source's server_version_num. */
  version: number;
  source: Pick<Source, "tables">;
}

/** `all`: with partitions. Errors: those of `options.types`. */
export function planAll(
  planned: Planned,
  scheme: Scheme,
  tables: readonly SourceTable[],
  all: readonly SourceTable[],
): Planner {
  checkOverrides(planned.options.types, tables);
  const planning = createPlanning(planned, scheme, tables);
  const planner = createPlanner(planning);
  const heaps = new Map(planned.source.tables.map((heap) => [heap.oid, heap]));
  for (const table of tables)
    planner.add(
      table,
      scheme.tables.get(table.oid) ?? table.name,
      rowsOf(table, all, heaps, planned.options.jobs, planned.version),
    );
  planner.states.sort((a, b) => b.rows.bytes - a.rows.bytes);
  return planner;
}

type PlanningOf = (table: SourceTable, lessons: Lessons, bytes: number) => Planning;

/** Keeps the tables' descriptions on a shelf. Nothing here may refer to the list that they were read as. */
function createPlanner(planning: PlanningOf): Planner & { add(table: SourceTable, name: string, rows: Rows): void } {
  const shelf = createShelf<SourceTable>();
  const none = createLessons();
  const bytes = new Map<number, number>();
  let adapted = (plan: TablePlan) => plan;
  const replan = (source: SourceTable, lessons: Lessons) =>
    adapted(planTable(source, planning(source, lessons, bytes.get(source.oid) ?? 0)));
  const recent = createRecent(mostPlans, (state: TableState) => {
    const plan = replan(shelf.get(state.place), state.learnt ?? none);
    return state.refused === undefined ? plan : withoutIndexes(plan, state.refused);
  });
  const plans: Plans = recent;
  const states: TableState[] = [];
  return {
    states,
    replan: ({ source }, lessons) => replan(source, lessons),
    adapt(change) {
      adapted = change;
      recent.clear();
    },
    add(table, name, rows) {
      bytes.set(table.oid, rows.bytes);
      const state = new TableState(plans, {
        place: shelf.put(table),
        oid: table.oid,
        label: tableName(table),
        name,
        refers: table.foreignKeys.length > 0,
        rows,
      });
      // Names of constraints are given out in this order.
      state.doubts = state.plan.doubts;
      states.push(state);
    },
  };
}

/** What a table's plan has to know of the other tables. */
function createPlanning({ options, version }: Planned, scheme: Scheme, tables: readonly SourceTable[]): PlanningOf {
  const expressions =
    options.content === "data"
      ? nothing
      : createExpressions(
          { engine: "postgres", version },
          { engine: scheme.maria ? "mariadb" : "mysql", version: scheme.version },
        );
  const joined = joinedTypes(tables);
  const users = new Map<number, number>();
  const referenced = new Map<number, string[][]>();
  for (const { columns, foreignKeys } of tables) {
    for (const { sequence } of columns)
      if (sequence !== null) users.set(sequence.oid, (users.get(sequence.oid) ?? 0) + 1);
    for (const { referencedOid, referencedColumns } of foreignKeys)
      referenced.set(referencedOid, [...(referenced.get(referencedOid) ?? []), referencedColumns]);
  }
  return planningWith({ options, scheme, expressions, joined, users, referenced });
}

interface Surroundings extends Pick<Planning, "scheme" | "expressions"> {
  options: CopyOptions;
  joined: ReadonlyMap<string, string>;
  users: ReadonlyMap<number, number>;
  referenced: ReadonlyMap<number, string[][]>;
}

const planningWith =
  ({ options, scheme, expressions, joined, users, referenced }: Surroundings): PlanningOf =>
  (table, lessons, bytes) => ({
    scheme,
    expressions: lessons.refused === undefined ? expressions : refusing(lessons.refused),
    keyed: keyedColumns(table, referenced.get(table.oid) ?? [], scheme),
    lessons: lessons.columns,
    brokenChecks: lessons.brokenChecks,
    joined: (column) => joined.get(joinKey(table.oid, column)),
    override: (column) => overrideOf(options.types, table, column),
    related: table.foreignKeys.length > 0 || referenced.has(table.oid),
    users: (sequence) => users.get(sequence) ?? 0,
    small: bytes <= smallBytes,
  });

/** Of a table whose expressions the target has refused. */
const refusing = (words: string): Expressions => ({
  translate: () => ({ reason: `the target refuses the translation of an expression of the table: ${words}` }),
});

/** Of rows alone: every column has its values from the source. */
const nothing: Expressions = { translate: () => ({ reason: "the target's own expressions stay" }) };
