import type { InventoryEntry } from "../../../contract/index.ts";
import { type KnownEntry, renamed } from "../../../contract/known.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { doublesOf, kind } from "../../../rows/copy-to-load/fields.ts";
import { declaredCharset } from "../../fits/mysql-type.ts";
import { planChecks } from "../columns/checks.ts";
import { describeColumns } from "../columns/column-lines.ts";
import type { ColumnPlan, ColumnPlanning } from "../columns/column-plan.ts";
import { fitRow, planColumn } from "../columns/columns.ts";
import { createNames } from "../columns/names.ts";
import { doubtsOfNamed } from "../columns/narrowing.ts";
import { isWide } from "../columns/row-size.ts";
import type { TargetType } from "../columns/target-type.ts";
import { binaryCollation, selectColumn } from "../columns/types.ts";
import {
  commentCharacters,
  cutComment,
  hasFunctional,
  type IndexExpressions,
  type IndexPlan,
  indexEntries,
  planIndex,
} from "./indexes.ts";
import { planPartitions } from "./partitions.ts";
import type { TablePlan } from "./table-plan.ts";

export function planTable(source: TableDefinition, planning: ColumnPlanning): TablePlan {
  const { scheme, observedTypes } = planning;
  const name = scheme.tables.get(source.oid) ?? source.name;
  const inventory: KnownEntry[] = [];
  const columnNames = createNames();
  const columns = fitRow(
    source.columns.map((column) => planColumn(column, columnNames, planning)),
    planning.keyed,
  );
  const { lines, counter } = describeColumns(source, columns, planning, inventory);

  const names = { indexes: createNames(["PRIMARY"]), columns: columnNames };
  const indexes: IndexPlan[] = [];
  const translate: IndexExpressions = (expression, unique) =>
    hasFunctional(scheme)
      ? planning.expressions.translate(columns, expression, unique ? "unique-index" : "index")
      : { reason: "the target has no indexes on expressions" };
  for (const index of source.indexes) {
    const planned = planIndex(columns, index, names, scheme.maria, translate);
    if (!("reported" in planned)) indexes.push(planned);
    inventory.push(...indexEntries(source, index, planned));
  }
  const wide = isWide(columns);
  const leads = (index: IndexPlan) => counter !== undefined && index.columns[0] === counter.column && index.whole;
  const counting = indexes.find((index) => index.primary && leads(index)) ?? indexes.find(leads);
  const early = indexes.filter(
    (index) => !index.functional && (planning.small || wide || index.primary || index === counting),
  );
  const functional = indexes.filter((index) => index.functional);
  const later = indexes.filter((index) => !early.includes(index) && !index.functional);
  const keys = early.map(({ sql }) => sql);
  if (counter !== undefined && counting === undefined)
    keys.push(
      `KEY ${identifier(names.indexes.take(`${counter.column}_counter`, "counter"))} (${identifier(columns.find((one) => one.source.name === counter.column)?.name ?? "")})`,
    );
  const checks = planChecks(source, columns, planning, inventory, counter?.column);
  const helpers = indexes.flatMap((index) => index.helpers.map(({ sql }) => sql));
  const partitioning = partitionsOf(source, columns, planning, name, inventory);

  const comment = cutComment(source.comment ?? "", commentCharacters.table);
  inventory.push(tableEntry(source, name, comment));
  const loaded = columns.filter(({ generated }) => !generated);
  const table = qualified(scheme.database, name);
  return {
    source,
    name,
    columns,
    loaded,
    doubts: doubtsOfNamed(source, loaded, (column) => planning.override(column) !== undefined, scheme.maria),
    fields: loaded.map(({ type, nullable, source: from }) => ({
      kind: type.kind,
      nullable: nullable || observedTypes.get(from.name)?.nullable === true,
      ...(type.limit === undefined ? {} : { limit: type.limit }),
      ...(type.scale === undefined ? {} : { scale: type.scale }),
      ...(type.srids === undefined ? {} : { srids: type.srids }),
      ...(type.kind === kind.float && scheme.unsignedZero ? { unsignedZero: true } : {}),
      ...(type.json ? doublesOf(from) : {}),
    })),
    load: {
      database: scheme.database,
      table: name,
      columns: loaded.map(({ name: column, type }) => ({
        name: column,
        ...(type.json || isInOtherCharset(type) ? { value: inUtf8 } : {}),
      })),
    },
    select: loaded.map(({ source: column, type }) => selectColumn(column, type)).join(", "),
    create: around(
      `CREATE TABLE ${table} (${[...lines, ...helpers, ...keys, ...checks].join(", ")}) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=${binaryCollation(scheme.maria)} COMMENT=`,
      partitioning,
    ),
    comment,
    indexes,
    later,
    functional,
    wide,
    counter,
    checks,
    inventory,
  };
}

// Functions of their own: one made within planTable would keep all that it has at hand.
const around = (before: string, after: string) => (words: string) => `${before}${words}${after}`;
const inUtf8 = (field: string) => `CONVERT(${field} USING utf8mb4)`;

/** Texts come in UTF-8, and the target's own types are in it or in ASCII. */
function isInOtherCharset({ sql }: TargetType): boolean {
  const charset = declaredCharset(sql);
  return charset !== undefined && !/^(?:utf8mb4|ascii)$/.test(charset);
}

function partitionsOf(
  source: TableDefinition,
  columns: readonly ColumnPlan[],
  { related, scheme }: ColumnPlanning,
  name: string,
  inventory: InventoryEntry[],
): string {
  if (source.partitioned === null) return "";
  const planned = related
    ? { reported: "MySQL has no foreign keys from or to partitioned tables" }
    : columns.some(({ type }) => type.kind === kind.shape)
      ? { reported: "MySQL has no geometry in partitioned tables" }
      : planPartitions(source, { name, maria: scheme.maria }, (key) =>
          columns.find(({ source: of }) => of.name === key),
        );
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

function tableEntry(source: TableDefinition, name: string, comment: string): KnownEntry {
  const notes = [
    name === source.name ? undefined : renamed(name),
    source.kind === "m" ? "a table with the view's rows; MySQL has no materialised views" : undefined,
    source.unlogged ? "logged: MySQL has no unlogged tables" : undefined,
    source.inherits.length > 0 ? `inherits ${source.inherits.join(", ")} in the source, and nothing here` : undefined,
    comment === (source.comment ?? "")
      ? undefined
      : "its comment is shortened: at most 2,048 characters, none of them beyond the basic plane",
  ].filter((words) => words !== undefined);
  return {
    kind: source.kind === "m" ? "materialized view" : "table",
    name: tableName(source),
    outcome: "converted",
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    ...(name === source.name ? {} : { targetName: name }),
  };
}
