import type { InventoryEntry, MadeObject } from "../contract.ts";
import { isJsonAlias, type SourceColumn, type SourceIndex, type SourceTable } from "../mysql/catalogue.ts";
import { qualified as sourceQualified } from "../mysql/names.ts";
import { identifier, literal, qualified } from "../postgres/names.ts";
import { targetDefault } from "./defaults.ts";
import { type Field, kind } from "./fields.ts";
import { planIndex } from "./indexes.ts";
import { createNames, type Names } from "./names.ts";
import { isIncrement, type Lesson, type TargetType, targetType } from "./types.ts";
import { updateTrigger } from "./update-trigger.ts";

/** What becomes of a table: every statement of the target and what to say in the report. Pure. */

export interface ColumnPlan {
  source: SourceColumn;
  name: string;
  type: TargetType;
  /** DDL's type. */
  sql: string;
  nullable: boolean;
  identity: boolean;
}

export interface IndexPlan {
  source: SourceIndex;
  name: string;
  create: string;
  /** Makes a constraint of the index, once all indexes of the table stand. */
  constraint?: string;
  comment?: string;
}

export interface TablePlan {
  source: SourceTable;
  name: string;
  columns: ColumnPlan[];
  fields: Field[];
  /** Made before the data, in this order. */
  made: MadeObject[];
  create: string[];
  drop: string[];
  /** SELECT without WHERE. */
  select: string;
  copy: string;
  indexes: IndexPlan[];
  /** After the data and the indexes: comments, sequence values, triggers. */
  after: string[];
  /** Made with `after`. */
  madeAfter: MadeObject[];
  inventory: InventoryEntry[];
}

/** What all tables of a run share. */
export interface Scheme {
  database: string;
  /** The target's schema. */
  schema: string;
  maria: boolean;
  /** Source table → target table. */
  tables: ReadonlyMap<string, string>;
  names: Names;
  /** Names given out already, by what they were given for, so that a second plan of a table finds the same. */
  given: Map<string, string>;
  /** `table\0column` of columns in foreign keys, on either side. */
  joined: ReadonlySet<string>;
}

export const columnKey = (table: string, column: string): string => `${table}\0${column}`;

/** Names of tables first, so that they stay as they are. `taken`: relations and types that are in the schema already. */
export function createScheme(
  database: string,
  maria: boolean,
  tables: readonly SourceTable[],
  taken: Iterable<string>,
): Scheme {
  const names = createNames(taken);
  const targets = new Map(tables.map(({ name }) => [name, names.take(name, `table ${name}`)]));
  const joined = new Set<string>();
  for (const table of tables) {
    for (const { columns, referencedTable, referencedColumns } of table.foreignKeys) {
      for (const column of columns) joined.add(columnKey(table.name, column));
      for (const column of referencedColumns) joined.add(columnKey(referencedTable, column));
    }
  }
  return { database, schema: "public", maria, tables: targets, names, given: new Map(), joined };
}

/** The name for something that belongs to a table; the same at each call. */
export function nameFor(scheme: Scheme, identity: string, wanted: string): string {
  const known = scheme.given.get(identity);
  if (known !== undefined) return known;
  const name = scheme.names.take(wanted, identity);
  scheme.given.set(identity, name);
  return name;
}

export function planTable(scheme: Scheme, source: SourceTable, lessons: ReadonlyMap<string, Lesson>): TablePlan {
  const { schema, database, maria } = scheme;
  const name = scheme.tables.get(source.name) as string;
  const table = qualified(schema, name);
  const inventory: InventoryEntry[] = [];
  const made: MadeObject[] = [];
  const create: string[] = [];
  const drop: string[] = [`DROP TABLE IF EXISTS ${table}`];
  const after: string[] = [];
  const madeAfter: MadeObject[] = [];
  const columnNames = createNames();
  const note = (kindOf: string, of: string, outcome: InventoryEntry["outcome"], words?: string) =>
    inventory.push({
      kind: kindOf,
      name: `${source.name}${of === "" ? "" : `.${of}`}`,
      outcome,
      ...(words === undefined ? {} : { note: words }),
    });

  const definitions: string[] = [];
  const columns = source.columns.map((column): ColumnPlan => {
    const lesson = lessons.get(column.name) ?? { wide: 0, nullable: false };
    const inForeignKey = scheme.joined.has(columnKey(source.name, column.name));
    const type = targetType(column, { inForeignKey, isJson: isJsonAlias(source, column), lesson });
    const target = columnNames.take(column.name, column.name);
    const nullable = column.nullable || lesson.nullable;
    const generated = column.generation !== "";
    let sql = type.sql;
    if (type.labels !== undefined) {
      const typeName = nameFor(scheme, `type ${source.name}\0${column.name}`, `${name}_${target}`);
      sql = qualified(schema, typeName);
      made.push({ kind: "type", name: [schema, typeName] });
      create.push(`CREATE TYPE ${sql} AS ENUM (${type.labels.map((label) => literal(label)).join(", ")})`);
      drop.push(`DROP TYPE IF EXISTS ${sql}`);
    }
    const parts = [identifier(target), sql];
    if (!nullable) parts.push("NOT NULL");
    const identity = isIncrement(column) && /^(smallint|integer|bigint)$/.test(sql);
    if (identity) {
      const sequence = nameFor(scheme, `sequence ${source.name}\0${column.name}`, `${name}_${target}_seq`);
      parts.push(`GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME ${qualified(schema, sequence)})`);
      after.push(setval(schema, sequence, table, target, source.autoIncrement, sql));
    } else if (isIncrement(column))
      note("default", column.name, "reported", `AUTO_INCREMENT on ${sql}, which cannot count up`);
    else if (!generated) {
      const value = targetDefault(column, type, maria);
      if (value !== undefined && "sql" in value) parts.push(`DEFAULT ${value.sql}`);
      else if (value !== undefined) note("default", column.name, "reported", `${value.reported} is not carried over`);
    }
    if (type.check !== undefined) parts.push(`CHECK (${type.check(identifier(target))})`);
    definitions.push(parts.join(" "));
    const remarks = [
      type.note,
      lesson.nullable && !column.nullable ? "NOT NULL dropped: it holds dates that do not exist" : undefined,
    ].filter((words) => words !== undefined);
    note("column", column.name, "converted", [`${column.columnType} → ${sql}`, ...remarks].join("; "));
    if (generated)
      note(
        "generated column",
        column.name,
        "reported",
        `plain column with the values; its expression is not translated: ${column.generation}`,
      );
    if (column.comment !== "")
      after.push(`COMMENT ON COLUMN ${table}.${identifier(target)} IS ${literal(column.comment)}`);
    return { source: column, name: target, type, sql, nullable, identity };
  });

  made.push({ kind: "table", name: [schema, name] });
  create.push(`CREATE TABLE ${table} (${definitions.join(", ")})`);
  if (source.comment !== "") after.push(`COMMENT ON TABLE ${table} IS ${literal(source.comment)}`);
  note("table", "", "converted", name === source.name ? undefined : `as ${name}`);
  if (source.partitions !== null)
    note("partitions", "", "reported", `a plain table; partitioned by ${source.partitions} in the source`);
  if (source.versioned) note("system versioning", "", "reported", "present rows only; the history is not carried over");
  for (const { name: check, clause } of source.checks) {
    if (!source.columns.some((column) => isJsonAlias(source, column) && check === column.name)) {
      note("check", check, "reported", `its expression is not translated: ${clause}`);
    }
  }

  const indexes: IndexPlan[] = [];
  for (const index of source.indexes) {
    const planned = planIndex(scheme, source, name, columns, index);
    if ("reported" in planned) note("index", index.name, "reported", planned.reported);
    else {
      indexes.push(planned);
      note("index", index.name, "converted", planned.name === index.name ? undefined : `as ${planned.name}`);
    }
  }
  const trigger = updateTrigger(scheme, source, name, columns);
  if (trigger !== undefined) {
    after.push(...trigger.create);
    madeAfter.push(...trigger.made);
    note("on update current_timestamp", "", "converted", "a trigger before update");
  }

  const list = columns.map((column) => identifier(column.name)).join(", ");
  return {
    source,
    name,
    columns,
    fields: columns.map((column) => ({ ...column.type.field, nullable: column.nullable })),
    made,
    create,
    drop,
    select: `SELECT ${columns.map((column) => column.type.select).join(", ")} FROM ${sourceQualified(database, source.name)}`,
    copy: `COPY ${table} (${list}) FROM STDIN`,
    indexes,
    after,
    madeAfter,
    inventory,
  };
}

const largest: Record<string, string> = { smallint: "32767", integer: "2147483647", bigint: "9223372036854775807" };

/** The next value: the source's own counter, or past the largest id where the counter is behind it. */
function setval(
  schema: string,
  sequence: string,
  table: string,
  column: string,
  next: string | null,
  type: string,
): string {
  const counter = next !== null && /^\d{1,20}$/.test(next) ? next : "1";
  const above = `LEAST(GREATEST(${counter}::numeric, 1, (SELECT coalesce(max(${identifier(column)}), 0)::numeric + 1 FROM ${table})), ${largest[type]})`;
  return `SELECT pg_catalog.setval(${literal(qualified(schema, sequence))}::regclass, (${above})::bigint, false)`;
}

/** Columns whose guess needs a value as evidence: without one they are made smallint after the copy. */
export function unproven(plan: TablePlan, seen: readonly boolean[]): ColumnPlan[] {
  return plan.columns.filter((column, index) => column.type.field.kind === kind.boolean && seen[index] !== true);
}
