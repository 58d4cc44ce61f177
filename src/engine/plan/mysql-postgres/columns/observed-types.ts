import { EngineError } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { kind, type MysqlToCopyFindings } from "../../../rows/mysql-to-copy/fields.ts";
import { noJson } from "../../../rows/mysql-to-copy/json-check.ts";
import { joinedColumns } from "../tables/foreign-keys.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { type ColumnPlan, columnKey } from "./column-plan.ts";
import type { ObservedType } from "./types.ts";

const largestBigint = 2n ** 63n - 1n;

/** What the data have taught so far, and whom it concerns. */
export interface ObservedTypes {
  of(table: string): ReadonlyMap<string, ObservedType>;
  /**
   * Learns from what broke; answers with the tables that must be planned and made anew. None, where all of it was known
   * after `plan` was made: another part of the table, or of one that is joined to it, has broken before.
   */
  observe(plan: TablePlan, findings: readonly MysqlToCopyFindings[]): Set<string>;
  /** Takes up what an earlier attempt has learnt. */
  restore(table: string, learnt: Readonly<Record<string, ObservedType>>): void;
  /** Learns that a generated column is to have the source's values, and why. */
  fill(table: string, column: string, why: string): void;
  /** Learns that a guessed column has no value to prove it. */
  widen(table: string, column: string): void;
  /** Tables whose types are decided together: every table in one list, by itself or with others. */
  groups: string[][];
}

export function createObservedTypes(
  tables: readonly SourceTable[],
  zeroDates: string,
  log: (message: string) => void,
): ObservedTypes {
  const learnt = new Map(tables.map(({ name }) => [name, new Map<string, ObservedType>()]));
  const joined = joinedColumns(tables);
  const wide = new Set<string>();
  for (const table of tables) {
    for (const { name, dataType, columnType } of table.columns) {
      if (dataType === "bigint" && /unsigned/i.test(columnType)) wide.add(columnKey(table.name, name));
    }
  }

  const observed = (table: string, column: string): ObservedType => {
    const known = learnt.get(table)?.get(column);
    if (known !== undefined) return known;
    const fresh: ObservedType = { wide: 0, nullable: false };
    learnt.get(table)?.set(column, fresh);
    return fresh;
  };

  for (const table of tables)
    for (const { name, default: text } of table.columns) {
      const key = columnKey(table.name, name);
      const digits = /^'?(\d+)'?$/.exec(text ?? "")?.[1];
      if (digits === undefined || !wide.has(key) || BigInt(digits) <= largestBigint) continue;
      // A default that a row could not take is none: its column is wide from the start, and with it those that it is joined to.
      for (const one of [key, ...(joined.get(key) ?? [])]) {
        const [otherTable = "", otherColumn = ""] = one.split("\0");
        if (wide.has(one)) observed(otherTable, otherColumn).wide = 1;
      }
    }

  const becomesNullable = (table: string, { source: { name } }: ColumnPlan, why: string, concerned: Set<string>) => {
    if (observed(table, name).nullable) return;
    observed(table, name).nullable = true;
    concerned.add(table);
    log(`table ${table} is copied again: column ${name} is NOT NULL but holds ${why}, which becomes NULL`);
  };

  const becomesWider = (table: string, column: ColumnPlan, why: string, concerned: Set<string>) => {
    const { name } = column.source;
    const wanted = column.wide + (why === noJson ? 2 : 1);
    if (observed(table, name).wide >= wanted) return;
    observed(table, name).wide = wanted;
    concerned.add(table);
    log(`table ${table} is copied again with a wider type for column ${name}: it holds ${why}`);
    for (const key of joined.get(columnKey(table, name)) ?? []) {
      const [otherTable = "", otherColumn = ""] = key.split("\0");
      if (!wide.has(key) || observed(otherTable, otherColumn).wide > 0) continue;
      observed(otherTable, otherColumn).wide = 1;
      concerned.add(otherTable);
    }
  };

  return {
    groups: joinedTables(
      tables,
      [...new Set(joined.values())].map((set) => [...set].filter((key) => wide.has(key))),
    ),
    of: (table) => learnt.get(table) ?? new Map(),
    restore(table, known) {
      for (const [column, { wide, nullable, plain }] of Object.entries(known))
        learnt.get(table)?.set(column, { wide, nullable, ...(plain === undefined ? {} : { plain }) });
    },
    fill(table, column, why) {
      observed(table, column).plain = why;
    },
    widen(table, column) {
      observed(table, column).wide++;
    },
    observe(plan, findings) {
      const concerned = new Set<string>();
      plan.copied.forEach((column, index) => {
        const why = findings[index]?.broken;
        if (why === undefined) return;
        refuse(plan, column, why, zeroDates);
        if (column.type.field.kind === kind.date) becomesNullable(plan.source.name, column, why, concerned);
        else becomesWider(plan.source.name, column, why, concerned);
      });
      return concerned;
    },
  };
}

/** Errors: `data_refused`, `zero_date`, `zero_date_in_key`, where no other type would do. */
function refuse({ source }: TablePlan, column: ColumnPlan, why: string, zeroDates: string): void {
  const table = source.name;
  const { name } = column.source;
  if (column.forced) {
    throw new EngineError(
      "data_refused",
      `column ${table}.${name} holds ${why}, which the type ${column.sql} cannot hold: choose another type for it`,
    );
  }
  if (column.type.field.kind !== kind.date) return;
  if (zeroDates === "fail") {
    throw new EngineError(
      "zero_date",
      `column ${table}.${name} holds ${why}, which PostgreSQL does not know: correct the rows, or set options.zero_dates to null or to a date that replaces it`,
    );
  }
  const key = source.indexes.find((one) => one.name === "PRIMARY");
  if (key?.parts.some((part) => part.column === name)) {
    throw new EngineError(
      "zero_date_in_key",
      `table ${table}: the primary key column ${name} holds ${why}, which PostgreSQL does not know and which cannot become NULL in a key; correct the row, or set options.zero_dates to a date that replaces it`,
    );
  }
}

/** Joins the tables that stand together in a set of columns. */
function joinedTables(tables: readonly SourceTable[], sets: readonly (readonly string[])[]): string[][] {
  const group = new Map(tables.map(({ name }) => [name, new Set([name])]));
  for (const set of sets) {
    const [first, ...rest] = [...new Set(set.map((key) => key.split("\0")[0] ?? ""))].filter((name) => group.has(name));
    if (first === undefined) continue;
    for (const name of rest) {
      const one = group.get(first) as Set<string>;
      const other = group.get(name) as Set<string>;
      if (one === other) continue;
      for (const member of other) {
        one.add(member);
        group.set(member, one);
      }
    }
  }
  return [...new Set(group.values())].map((members) => [...members]);
}
