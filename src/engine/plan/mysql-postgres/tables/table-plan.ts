import { EngineError, type MadeObject } from "../../../contract/index.ts";
import { type KnownEntry, lostIndex, renamed } from "../../../contract/known.ts";
import { isJsonAlias, type SourceColumn, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import { identifier, literal, qualified } from "../../../postgres/driver/names.ts";
import { kind, type MysqlToCopyField } from "../../../rows/mysql-to-copy/fields.ts";
import type { Doubt } from "../../fits/values.ts";
import { type CheckPlan, constraintsOfColumns, planChecks } from "../columns/checks.ts";
import { type ColumnPlan, columnKey, type IndexPlan, type NamedType, type Scheme } from "../columns/column-plan.ts";
import { columnValue, type Note } from "../columns/column-values.ts";
import { createTranslator, isGenerated } from "../columns/expressions.ts";
import { intoType } from "../columns/overrides.ts";
import { isIncrement, type ObservedType, refuseLabels, type TargetType, targetType } from "../columns/types.ts";
import { keyNames, planIndex, tooLongMessage } from "./indexes.ts";
import { createNames } from "./names.ts";
import { largest, nextValue, setNext, spentEntry } from "./next-value.ts";
import { planPartitions } from "./partitions.ts";
import { overlapEntry, periodEntries } from "./periods.ts";
import { nameFor } from "./scheme.ts";
import { updateTrigger } from "./update-trigger.ts";

/** What becomes of a table: every statement of the target and what to say in the report. Pure. */

export interface TablePlan {
  source: SourceTable;
  name: string;
  /** Its rows stand in partitions. */
  partitioned: boolean;
  columns: ColumnPlan[];
  /** The columns whose values are copied; the target computes the others. */
  copied: ColumnPlan[];
  /** Of those. */
  fields: MysqlToCopyField[];
  checks: CheckPlan[];
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
  inventory: KnownEntry[];
}

/** Names that PostgreSQL gives to columns of its own in every table. */
const systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

export function planTable(
  scheme: Scheme,
  source: SourceTable,
  observedTypes: ReadonlyMap<string, ObservedType>,
): TablePlan {
  const { schema, database } = scheme;
  const name = scheme.tables.get(source.name) as string;
  const table = qualified(schema, name);
  const inventory: KnownEntry[] = [];
  const made: MadeObject[] = [];
  const create: string[] = [];
  const drop: string[] = [`DROP TABLE IF EXISTS ${table}`];
  const after: string[] = [];
  const madeAfter: MadeObject[] = [];
  const columnNames = createNames(systemColumns);
  refuseLabels(source.name, source.columns);
  const note: Note = (kindOf, of, outcome, words, definition, known) => {
    inventory.push({
      kind: kindOf,
      name: `${source.name}${of === "" ? "" : `.${of}`}`,
      outcome,
      ...(words === undefined ? {} : { note: words }),
      ...(definition === undefined ? {} : { definition }),
      ...known,
    });
  };

  const definitions: string[] = [];
  const columns = source.columns.map((column): ColumnPlan => {
    const observed = observedTypes.get(column.name) ?? { wide: 0, nullable: false };
    const named = scheme.forced.get(columnKey(source.name, column.name));
    const type = typeOf(scheme, source, column, observed, named);
    const target = columnNames.take(column.name, column.name);
    const nullable = column.nullable || observed.nullable;
    let sql = type.sql;
    if (type.labels !== undefined) {
      const typeName = nameFor(scheme, `type ${source.name}\0${column.name}`, `${name}_${target}`);
      sql = qualified(schema, typeName);
      made.push({ kind: "type", name: [schema, typeName] });
      create.push(`CREATE TYPE ${sql} AS ENUM (${type.labels.map((label) => literal(label)).join(", ")})`);
      drop.push(`DROP TYPE IF EXISTS ${sql}`);
    }
    const generated = isGenerated(column);
    const identity = !generated && isIncrement(column) && /^(smallint|integer|bigint)$/.test(sql);
    return {
      source: column,
      name: target,
      type,
      sql,
      nullable,
      identity,
      wide: observed.wide,
      forced: named !== undefined,
      computed: false,
      ...(observed.plain === undefined ? {} : { plain: observed.plain }),
    };
  });

  const partitions = planPartitions(scheme, source, name, columns);
  const split = partitions !== undefined && "clause" in partitions ? partitions : undefined;
  const translate = createTranslator(scheme, columns);
  for (const column of columns) {
    const { source: from, name: target, sql, type, nullable, identity } = column;
    const parts = [identifier(target), sql];
    if (split?.bytewise.includes(column)) parts.push('COLLATE "C"');
    if (!nullable) parts.push("NOT NULL");
    if (identity) {
      const sequence = nameFor(scheme, `sequence ${source.name}\0${from.name}`, `${name}_${target}_seq`);
      parts.push(`GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME ${qualified(schema, sequence)})`);
      const last = largest[sql] ?? "";
      after.push(setNext(qualified(schema, sequence), nextValue(table, target, source.autoIncrement), last));
      inventory.push(...spentEntry(`${source.name}.${from.name}`, source.autoIncrement, last));
    } else {
      const [value] = columnValue(scheme, source, column, translate, note);
      if (value?.startsWith("DEFAULT ")) column.default = value.slice("DEFAULT ".length);
      if (value !== undefined) parts.push(value);
    }
    if (type.check !== undefined) parts.push(`CHECK (${type.check(identifier(target))})`);
    definitions.push(parts.join(" "));
    note("column", from.name, "converted", remarksOn(from, target, sql, type.note, nullable));
    if (from.comment !== "") after.push(`COMMENT ON COLUMN ${table}.${identifier(target)} IS ${literal(from.comment)}`);
  }

  made.push({ kind: "table", name: [schema, name] });
  create.push(`CREATE TABLE ${table} (${definitions.join(", ")})${split === undefined ? "" : ` ${split.clause}`}`);
  // They go with their table, and so they are made after it and need no drop of their own.
  create.push(...(split?.create ?? []));
  made.push(...(split?.made ?? []));
  if (source.comment !== "") after.push(`COMMENT ON TABLE ${table} IS ${literal(source.comment)}`);
  noteTable(source, name, note);
  notePartitions(partitions, note);
  if (source.versioned) note("system versioning", "", "reported", "present rows only; the history is not copied");
  inventory.push(...periodEntries(source));
  const indexes: IndexPlan[] = [];
  for (const index of source.indexes) {
    const planned = planIndex(scheme, source, { name, columns, partitioned: split !== undefined, translate }, index);
    if ("reported" in planned) {
      const { reported, definition } = planned;
      inventory.push({
        kind: "index",
        name: `${source.name}.${index.name}`,
        ...lostIndex(reported, index.unique),
        definition,
      });
    } else {
      indexes.push(planned);
      noteIndex(planned, columns, note);
    }
  }
  const taken = [...keyNames(indexes), ...constraintsOfColumns(name, columns)];
  const checks = planChecks(scheme, source, { table, taken }, translate);
  inventory.push(...checks.inventory);
  const trigger = updateTrigger(scheme, source, name, columns);
  if (trigger !== undefined) {
    after.push(...trigger.create);
    madeAfter.push(...trigger.made);
    note("on update current_timestamp", "", "converted", "a trigger before update");
  }

  const copied = columns.filter(({ computed }) => !computed);
  const list = copied.map((column) => identifier(column.name)).join(", ");
  return {
    source,
    name,
    partitioned: split !== undefined,
    columns,
    copied,
    checks: checks.checks,
    fields: copied.map((column) => ({
      ...column.type.field,
      nullable: column.nullable,
      ...(scheme.zero === undefined ? {} : { zero: scheme.zero }),
    })),
    made,
    create,
    drop,
    select: `SELECT ${copied.map((column) => column.type.select).join(", ")} FROM ${sourceQualified(database, source.name)}`,
    copy: `COPY ${table} (${list}) FROM STDIN`,
    indexes,
    after,
    madeAfter,
    inventory,
  };
}

/** Errors: `option_invalid` where the user's type does not take the column's values. */
function typeOf(
  scheme: Scheme,
  source: SourceTable,
  column: SourceColumn,
  observed: ObservedType,
  named: NamedType | undefined,
): TargetType {
  const inForeignKey = scheme.joined.has(columnKey(source.name, column.name));
  const usual = targetType(column, {
    inForeignKey,
    isJson: isJsonAlias(source, column),
    postgis: scheme.postgis,
    observed,
  });
  const type = named === undefined ? usual : intoType(column, named, usual);
  if (type !== undefined) return type;
  throw new EngineError(
    "option_invalid",
    `options.types gives ${source.name}.${column.name} the type ${named?.sql}, and no conversion of ${column.columnType} to it keeps the values: choose another type`,
  );
}

function notePartitions(partitions: ReturnType<typeof planPartitions>, note: Note): void {
  if (partitions === undefined) return;
  if ("clause" in partitions) note("partitions", "", "converted", partitions.remark);
  else note("partitions", "", "reported", partitions.reported);
}

const noteTable = (source: SourceTable, name: string, note: Note): void =>
  name === source.name
    ? note("table", "", "converted")
    : note("table", "", "converted", renamed(name), undefined, { targetName: name });

/** Reported where the target's is not as strict, or finds other rows. */
function noteIndex(planned: IndexPlan, columns: readonly ColumnPlan[], note: Note): void {
  const { source } = planned;
  const overlaps = planned.apart === undefined ? overlapEntry(source, columns) : undefined;
  const parser =
    source.parser === undefined
      ? undefined
      : `its parser ${source.parser} is not copied: PostgreSQL splits texts into other words`;
  const words = [remarksOnIndex(planned), overlaps?.note, parser].filter((one) => one !== undefined);
  const outcome = overlaps === undefined && parser === undefined ? "converted" : "reported";
  note("index", source.name, outcome, words.join("; ") || undefined, overlaps?.definition, {
    ...(planned.name === source.name ? {} : { targetName: planned.name }),
    ...(planned.apart === undefined ? {} : { exclusion: planned.apart.name }),
    ...(planned.tooLong === undefined ? {} : { inDoubt: true }),
  });
}

const remarksOnIndex = ({ name, source, remark, tooLong, folded, apart }: IndexPlan): string | undefined =>
  [
    name === source.name ? undefined : renamed(name),
    remark,
    folded?.words,
    apart?.words,
    source.unused === true ? "INVISIBLE in the source; here the planner uses it" : undefined,
    tooLong === undefined ? undefined : `${tooLongMessage(tooLong)}; later ones may be refused`,
  ]
    .filter((words) => words !== undefined)
    .join("; ") || undefined;

const remarksOn = (
  column: SourceColumn,
  target: string,
  sql: string,
  words: string | undefined,
  nullable: boolean,
): string =>
  [
    `${column.columnType} → ${sql}`,
    target === column.name ? undefined : renamed(target),
    words,
    /\binvisible\b/.test(column.extra) ? "INVISIBLE in the source; here SELECT * shows it" : undefined,
    isUnsigned(column) ? "UNSIGNED in the source; here numbers below 0 are not refused" : undefined,
    nullable && !column.nullable ? "NOT NULL dropped: it holds dates that do not exist" : undefined,
  ]
    .filter((remark) => remark !== undefined)
    .join("; ");

const isUnsigned = ({ columnType }: SourceColumn): boolean => /\b(?:unsigned|zerofill)\b/i.test(columnType);

/** Columns of a named type into which a value may not fit. */
export const doubtsOf = (columns: readonly ColumnPlan[]): Doubt[] => columns.flatMap(({ type }) => type.doubt ?? []);

/** Columns whose guess needs a value as evidence: without one they are made smallint after the copy. */
export function unverifiedBooleans(plan: TablePlan, seen: readonly boolean[]): ColumnPlan[] {
  return plan.copied.filter(
    (column, index) => !column.forced && column.type.field.kind === kind.boolean && seen[index] !== true,
  );
}
