import type { InventoryEntry } from "../contract.ts";
import type { LoadTarget } from "../mysql/loader.ts";
import { identifier, literal, qualified } from "../mysql/names.ts";
import { type SourceColumn, type SourceTable, tableName } from "./catalogue.ts";
import { targetDefault } from "./defaults.ts";
import type { Expressions } from "./expressions.ts";
import { type Field, kind } from "./fields.ts";
import { commentCharacters, cutComment, type IndexPlan, indexEntries, planIndex } from "./indexes.ts";
import { createNames, type Names } from "./names.ts";
import { planPartitions } from "./partitions.ts";
import { constraintName, type Scheme } from "./scheme.ts";
import { binaryCollation, type Lesson, noLesson, outOfRow, selected, type TargetType, targetType } from "./types.ts";

/** What becomes of a table: every statement of the target and what to say in the report. Pure. */
export interface ColumnPlan {
  source: SourceColumn;
  name: string;
  type: TargetType;
  sql: string;
  nullable: boolean;
  /** Made by the target from an expression, and so not loaded. */
  generated: boolean;
}

export interface TablePlan {
  source: SourceTable;
  name: string;
  columns: ColumnPlan[];
  /** Of the columns that are loaded. */
  loaded: ColumnPlan[];
  fields: Field[];
  load: LoadTarget;
  /** List of a SELECT. */
  select: string;
  /** With the comment as SQL. `early`: the indexes that are made with it. */
  create(comment: string): string;
  comment: string;
  indexes: IndexPlan[];
  /** Added after the data, all at once. */
  later: IndexPlan[];
  counter: { column: string; sequence: NonNullable<SourceColumn["sequence"]> } | undefined;
  inventory: InventoryEntry[];
}

export interface Planning {
  scheme: Scheme;
  expressions: Expressions;
  /** Characters that keys leave to text, by column. */
  keyed: ReadonlyMap<string, number>;
  lessons: ReadonlyMap<string, Lesson>;
  /** Names of checks that the data broke. */
  brokenChecks: ReadonlySet<string>;
  /** Type that foreign keys make columns share. */
  joined(column: string): string | undefined;
  /** `options.types` */
  override(column: string): string | undefined;
  /** A foreign key from or to the table is carried over. */
  related: boolean;
  /** How many columns take their default from the sequence. */
  users(sequence: number): number;
  /** Few rows: all indexes are made with the table. */
  small: boolean;
}

const rowBytes = 65_000;

export function planTable(source: SourceTable, planning: Planning): TablePlan {
  const { scheme, lessons } = planning;
  const name = scheme.tables.get(source.oid) ?? source.name;
  const inventory: InventoryEntry[] = [];
  const columnNames = createNames();
  const columns = fitRow(
    source.columns.map((column) => planColumn(column, columnNames, planning)),
    planning.keyed,
  );
  const { lines, counter } = describeColumns(source, columns, planning, inventory);

  const names = { indexes: createNames(["PRIMARY"]), columns: columnNames };
  const indexes: IndexPlan[] = [];
  for (const index of source.indexes) {
    const planned = planIndex(columns, index, names, scheme.maria);
    if (!("reported" in planned)) indexes.push(planned);
    inventory.push(...indexEntries(source, index, planned));
  }
  const leads = (index: IndexPlan) => counter !== undefined && index.columns[0] === counter.column && index.whole;
  const counting = indexes.find((index) => index.primary && leads(index)) ?? indexes.find(leads);
  const early = indexes.filter((index) => planning.small || index.primary || index === counting);
  const later = indexes.filter((index) => !early.includes(index));
  const keys = early.map(({ sql }) => sql);
  if (counter !== undefined && counting === undefined)
    keys.push(
      `KEY ${identifier(names.indexes.take(`${counter.column}_counter`, "counter"))} (${identifier(columns.find((one) => one.source.name === counter.column)?.name ?? "")})`,
    );
  const checks = planChecks(source, columns, planning, inventory, counter?.column);
  const helpers = indexes.flatMap((index) => index.helpers.map(({ sql }) => sql));
  const partitioning = partitionsOf(source, columns, planning, inventory);

  const comment = cutComment(source.comment ?? "", commentCharacters.table);
  inventory.push(tableEntry(source, name, comment));
  const loaded = columns.filter(({ generated }) => !generated);
  const table = qualified(scheme.database, name);
  return {
    source,
    name,
    columns,
    loaded,
    fields: loaded.map(({ type, nullable, source: { name: of } }) => ({
      kind: type.kind,
      nullable: nullable || lessons.get(of)?.nullable === true,
      ...(type.limit === undefined ? {} : { limit: type.limit }),
      ...(type.scale === undefined ? {} : { scale: type.scale }),
    })),
    load: {
      database: scheme.database,
      table: name,
      columns: loaded.map(({ name: column, type }) => ({
        name: column,
        ...(type.json ? { value: (field: string) => `CONVERT(${field} USING utf8mb4)` } : {}),
      })),
    },
    select: loaded.map(({ source: column, type }) => selected(column, type)).join(", "),
    create: (words) =>
      `CREATE TABLE ${table} (${[...lines, ...helpers, ...keys, ...checks].join(", ")}) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=${binaryCollation(scheme.maria)} COMMENT=${words}${partitioning}`,
    comment,
    indexes,
    later,
    counter,
    inventory,
  };
}

function planColumn(column: SourceColumn, names: Names, planning: Planning): ColumnPlan {
  const { scheme, lessons, keyed } = planning;
  const lesson = lessons.get(column.name) ?? noLesson;
  const characters = keyed.get(column.name);
  const joined = planning.joined(column.name);
  const usual = targetType(column, {
    maria: scheme.maria,
    version: scheme.version,
    lesson,
    ...(characters === undefined ? {} : { keyed: characters }),
    ...(joined === undefined ? {} : { joined }),
  });
  const override = planning.override(column.name);
  const type = override === undefined ? usual : overridden(usual, override);
  return {
    source: column,
    name: names.take(column.name, column.name),
    type,
    sql: type.sql,
    nullable: !column.notNull || lesson.nullable,
    generated: false,
  };
}

/** The same bytes into another type; what does not fit is refused by the target while it is copied. */
function overridden(usual: TargetType, sql: string): TargetType {
  const is = (words: string) => new RegExp(`^(?:${words})`, "i").test(sql);
  const keeps =
    (usual.kind === kind.bytes && is("(?:VAR)?BINARY|(?:TINY|MEDIUM|LONG)?BLOB")) ||
    (usual.kind === kind.bits && is("BIT")) ||
    (usual.kind === kind.date && is("DATE|TIMESTAMP")) ||
    (usual.kind === kind.boolean && !is("(?:VAR)?CHAR|\\w*TEXT|ENUM")) ||
    ((usual.kind === kind.float || usual.kind === kind.numeric) && is("DECIMAL|NUMERIC|DOUBLE|FLOAT|\\w*INT"));
  const { json: _, limit: __, scale: ___, unkeyed: ____, check: _____, text: ______, ...rest } = usual;
  const unkeyed = is("\\w*TEXT")
    ? ("text" as const)
    : is("\\w*BLOB")
      ? ("binary" as const)
      : is("JSON")
        ? ("never" as const)
        : undefined;
  return {
    ...rest,
    sql,
    kind: keeps ? usual.kind : kind.text,
    bytes: unkeyed === undefined ? Math.max(usual.bytes, 8) : 12,
    ...(unkeyed === undefined ? {} : { unkeyed }),
    ...(is("JSON") && usual.json ? { json: true } : {}),
    note: "as options.types says",
  };
}

/** MySQL's rows hold 65,535 bytes beside what lies out of them: the longest texts that are in no key go out. */
function fitRow(columns: readonly ColumnPlan[], keyed: ReadonlyMap<string, number>): ColumnPlan[] {
  const fitted = [...columns];
  const total = () => fitted.reduce((sum, { type }) => sum + type.bytes + 1, 0);
  while (total() > rowBytes) {
    const candidates = fitted.filter(
      ({ type, source }) => type.text !== undefined && type.bytes > 64 && !keyed.has(source.name),
    );
    const [widest] = candidates.sort((a, b) => b.type.bytes - a.type.bytes);
    if (widest === undefined) break;
    const type = outOfRow(widest.type);
    fitted[fitted.indexOf(widest)] = { ...widest, type, sql: type.sql };
  }
  return fitted;
}

/** What the columns of a table gather while they are described. */
interface Described {
  source: SourceTable;
  columns: ColumnPlan[];
  planning: Planning;
  inventory: InventoryEntry[];
  counter: TablePlan["counter"];
}

function describeColumns(
  source: SourceTable,
  columns: ColumnPlan[],
  planning: Planning,
  inventory: InventoryEntry[],
): { lines: string[]; counter: TablePlan["counter"] } {
  const described: Described = { source, columns, planning, inventory, counter: undefined };
  const lines = columns.map((column) => describe(described, column));
  return { lines, counter: described.counter };
}

function describe(described: Described, column: ColumnPlan): string {
  const { source, planning, inventory } = described;
  const { source: from, type, nullable } = column;
  const remarks = [
    `${from.written} → ${type.sql}`,
    column.name === from.name ? undefined : `as ${column.name}`,
    type.note,
  ];
  const parts = [identifier(column.name), type.sql];
  if (type.collation !== undefined) parts.push(`COLLATE ${type.collation}`);
  else if (from.collation?.deterministic === false)
    remarks.push(`collation ${from.collation.name} is not carried over: compared by bytes`);
  if (nullable && from.notNull) remarks.push("NOT NULL dropped: it holds values that only NULL can stand for");
  if (from.generated !== "") parts.push(...generate(described, column));
  // MariaDB's grammar has no NOT NULL for what is generated.
  if (!nullable && !(column.generated && planning.scheme.maria)) parts.push("NOT NULL");
  if (from.generated === "") parts.push(...ownValue(described, column, remarks));
  const comment = from.comment === null ? "" : cutComment(from.comment, commentCharacters.column);
  if (comment !== "") parts.push(`COMMENT ${literal(comment)}`);
  if (comment !== (from.comment ?? "")) remarks.push("its comment is cut to 1,024 characters");
  inventory.push({
    kind: "column",
    name: `${tableName(source)}.${from.name}`,
    outcome: "converted",
    note: remarks.filter((words) => words !== undefined).join("; "),
  });
  return parts.join(" ");
}

function generate({ source, columns, planning, inventory }: Described, column: ColumnPlan): string[] {
  const { source: from } = column;
  // Rows are loaded through at least one column.
  const translated = columns.every((one) => one.source.generated !== "")
    ? { reason: "the table has no other columns" }
    : planning.expressions.translate(columns, from.default ?? "", "generated", column);
  column.generated = "sql" in translated;
  inventory.push({
    kind: "generated column",
    name: `${tableName(source)}.${from.name}`,
    outcome: "sql" in translated ? "converted" : "reported",
    ...("sql" in translated
      ? {}
      : { note: `a plain column with the values; its expression is not translated: ${translated.reason}` }),
    ...(from.default === null ? {} : { definition: from.default }),
  });
  if ("reason" in translated) return [];
  return [`GENERATED ALWAYS AS (${translated.sql}) ${from.generated === "v" ? "VIRTUAL" : "STORED"}`];
}

/** AUTO_INCREMENT or a default; what is neither is reported. */
function ownValue(described: Described, column: ColumnPlan, remarks: (string | undefined)[]): string[] {
  const { source, columns, planning, inventory } = described;
  const { source: from, type } = column;
  const report = (note: string) => {
    inventory.push({
      kind: "default",
      name: `${tableName(source)}.${from.name}`,
      outcome: "reported",
      note,
      ...(from.default === null ? {} : { definition: from.default }),
    });
    return [];
  };
  if (from.sequence !== null) {
    const why = counterOf(from, type, planning) ?? (described.counter && "MySQL counts one column of a table up");
    if (why !== undefined)
      return report(`the next number of ${from.sequence.schema}.${from.sequence.name} is not carried over: ${why}`);
    described.counter = { column: from.name, sequence: from.sequence };
    remarks.push(from.identity === "a" ? "AUTO_INCREMENT; given values are taken as well" : "AUTO_INCREMENT");
    return ["AUTO_INCREMENT"];
  }
  const value = defaultOf(columns, column, planning);
  if (value === undefined) return [];
  if ("reason" in value) return report(`not carried over: ${value.reason}`);
  if (value.note !== undefined) remarks.push(value.note);
  return [`DEFAULT ${value.sql}`];
}

/** Why a column cannot count up, or undefined. */
function counterOf({ sequence }: SourceColumn, { sql }: TargetType, { users }: Planning): string | undefined {
  if (sequence === null) return undefined;
  if (users(sequence.oid) > 1) return "several columns take their numbers from it";
  if (!/^(?:SMALLINT|INT|BIGINT)$/.test(sql)) return `MySQL does not count a ${sql} up`;
  return sequence.increment === "1" ? undefined : `it counts by ${sequence.increment}, and MySQL by 1`;
}

function defaultOf(
  columns: readonly ColumnPlan[],
  column: ColumnPlan,
  { expressions }: Planning,
): { sql: string; note?: string } | { reason: string } | undefined {
  const value = targetDefault(column.source, column.type);
  if (value === undefined || "sql" in value) return value;
  const translated = expressions.translate(columns, value.unknown, "default", column);
  if ("reason" in translated) return translated;
  return { sql: `(${translated.sql})` };
}

function planChecks(
  source: SourceTable,
  columns: readonly ColumnPlan[],
  planning: Planning,
  inventory: InventoryEntry[],
  counter: string | undefined,
): string[] {
  const { expressions, scheme, brokenChecks } = planning;
  const counting = columns.find((column) => column.source.name === counter);
  const lines: string[] = [];
  const add = (kindOf: string, label: string, wanted: string, expression: string, definition: string) => {
    const name = constraintName(scheme, `check ${tableName(source)} ${label}`, wanted);
    const found = brokenChecks.has(name)
      ? { reason: "rows of the source break it" }
      : expressions.translate(columns, expression, "check");
    const translated =
      "sql" in found && counting !== undefined && found.sql.includes(identifier(counting.name))
        ? { reason: "MySQL has no checks on a column that counts up" }
        : found;
    if ("sql" in translated) lines.push(`CONSTRAINT ${identifier(name)} CHECK (${translated.sql})`);
    const note =
      "sql" in translated ? (name === wanted ? undefined : `as ${name}`) : `not carried over: ${translated.reason}`;
    inventory.push({
      kind: kindOf,
      name: label,
      outcome: "sql" in translated ? "converted" : "reported",
      ...(note === undefined ? {} : { note }),
      ...("sql" in translated ? {} : { definition }),
    });
  };
  for (const { name, expression, definition } of source.checks)
    add("constraint", `${tableName(source)} ${name}`, name, expression, definition);
  for (const column of columns) {
    const { name, domain } = column.source;
    for (const check of domain?.checks ?? []) {
      const own = check.expression.replaceAll(/\bVALUE\b/g, `"${name.replaceAll('"', '""')}"`);
      add(
        "domain check",
        `${tableName(source)}.${name} ${check.name}`,
        `${source.name}_${name}_${check.name}`,
        own,
        `CHECK (${check.expression})`,
      );
    }
    if (column.type.check !== undefined) {
      const made = constraintName(scheme, `labels ${tableName(source)}.${name}`, `${source.name}_${name}_check`);
      lines.push(`CONSTRAINT ${identifier(made)} CHECK (${column.type.check(identifier(column.name))})`);
    }
  }
  return lines;
}

function partitionsOf(
  source: SourceTable,
  columns: readonly ColumnPlan[],
  { related }: Planning,
  inventory: InventoryEntry[],
): string {
  if (source.partitioned === null) return "";
  const planned = related
    ? { reported: "MySQL has no foreign keys from or to partitioned tables" }
    : planPartitions(source, (name) => columns.find((column) => column.source.name === name));
  const made = "sql" in planned;
  const note = made ? planned.notes.join("; ") : `a plain table with all rows: ${planned.reported}`;
  inventory.push({
    kind: "partitions",
    name: tableName(source),
    outcome: made ? "converted" : "reported",
    ...(note === "" ? {} : { note }),
    definition:
      `PARTITION BY ${source.partitioned.key}: ${source.partitioned.parts.map(({ name, bound }) => `${name} ${bound}`).join("; ")}`.slice(
        0,
        65_536,
      ),
  });
  return made ? ` ${planned.sql}` : "";
}

function tableEntry(source: SourceTable, name: string, comment: string): InventoryEntry {
  const notes = [
    name === source.name ? undefined : `as ${name}`,
    source.kind === "m" ? "a table with the view's rows; MySQL has no materialised views" : undefined,
    source.unlogged ? "logged: MySQL has no unlogged tables" : undefined,
    source.inherits.length > 0 ? `inherits ${source.inherits.join(", ")} in the source, and nothing here` : undefined,
    comment === (source.comment ?? "") ? undefined : "its comment is cut to 2,048 characters",
  ].filter((words) => words !== undefined);
  return {
    kind: source.kind === "m" ? "materialized view" : "table",
    name: tableName(source),
    outcome: "converted",
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  };
}
