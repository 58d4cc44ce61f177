import type { CopyOptions, InventoryEntry } from "../contract.ts";
import type { Catalogue, SourceTable as MysqlTable } from "../mysql/catalogue.ts";
import { planForeignKeys } from "../mysql-to-postgres/foreign-keys.ts";
import { doubtfulIndexes } from "../mysql-to-postgres/indexes.ts";
import { zeroDates } from "../mysql-to-postgres/options.ts";
import type { NamedType } from "../mysql-to-postgres/overrides.ts";
import { planTable as planPostgresTable } from "../mysql-to-postgres/plan.ts";
import { lostKeys, othersReported } from "../mysql-to-postgres/report.ts";
import { createScheme } from "../mysql-to-postgres/scheme.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import type { SourceTable as PostgresTable } from "../postgres-to-mysql/catalogue.ts";
import { foreignKeyName, planForeignKeys as planForeignKeysToMysql } from "../postgres-to-mysql/foreign-keys.ts";
import { readObjects, reportObject } from "../postgres-to-mysql/objects.ts";
import type { TablePlan } from "../postgres-to-mysql/plan.ts";
import { planAll } from "../postgres-to-mysql/planning.ts";
import { isLostKey } from "../postgres-to-mysql/report.ts";
import { createScheme as createMysqlScheme } from "../postgres-to-mysql/scheme.ts";
import { readInventory } from "../postgres-to-postgres/inventory.ts";
import { readLeftBehind } from "../postgres-to-postgres/left-behind.ts";
import type { PlannedObject, Say } from "./finding.ts";

/** What each direction would make of the source's objects, by its own planners, before any row is read. */

const withoutText = ({ definition: _, ...entry }: InventoryEntry): PlannedObject => entry;

/** A view is translated once what it reads is there. */
const hopeful = (entry: InventoryEntry): InventoryEntry =>
  entry.kind === "view"
    ? {
        ...entry,
        outcome: "converted",
        note: "translated where that can be proven as it is made, else reported with its text",
      }
    : entry;

export interface MysqlSource {
  database: string;
  maria: boolean;
  version: number;
  catalogue: Catalogue;
}

export function mysqlToPostgres(
  { database, maria, version, catalogue }: MysqlSource,
  options: CopyOptions,
  schema: string,
  forced: ReadonlyMap<string, NamedType>,
  targetVersion: number,
  say: Say,
): PlannedObject[] {
  const scheme = createScheme(database, maria, catalogue.tables, [], {
    schema,
    zero: zeroDates(options),
    forced,
    rowless: options.content === "schema",
    sourceVersion: version,
    targetVersion,
    icu: true,
  });
  const plans = catalogue.tables.map((table) => planPostgresTable(scheme, table, new Map()));
  for (const words of lostKeys(plans))
    say(
      "warning",
      "key_lost",
      words.split(" is not ")[0] ?? "",
      words,
      "make a key that the target can have, or none is missed",
    );
  for (const words of doubtfulIndexes(plans))
    say(
      "warning",
      "index_too_long",
      words.split(":")[0] ?? "",
      words,
      "shorten the values, or index a part of the column",
    );
  const keys = planForeignKeys(scheme, new Map(plans.map((plan) => [plan.source.name, plan])));
  return [
    ...plans.flatMap(({ inventory }) => inventory),
    ...keys.inventory,
    ...keys.keys.map(({ table, source }) => ({
      kind: "foreign key",
      name: `${table.source.name}.${source.name}`,
      outcome: "converted" as const,
    })),
    ...catalogue.others.flatMap(({ kind, name }) =>
      kind === "sequence" ? [{ kind, name, outcome: "converted" as const }] : [],
    ),
    ...othersReported(catalogue.others, new Map()),
  ].map(withoutText);
}

/** The same engine, though MySQL and MariaDB have grown apart. */
export function mysqlToMysql({ maria, catalogue }: MysqlSource, targetMaria: boolean, say: Say): PlannedObject[] {
  const across = maria !== targetMaria;
  const same = (kind: string, name: string): PlannedObject => ({ kind, name, outcome: "copied" });
  if (across) sayApart(catalogue.tables, targetMaria, say);
  return [
    ...catalogue.tables.flatMap((table) => [
      same("table", table.name),
      ...table.columns.map((column) => same("column", `${table.name}.${column.name}`)),
      ...table.indexes.map((index) => same("index", `${table.name}.${index.name}`)),
      ...table.foreignKeys.map((key) =>
        table.partitions !== null && targetMaria
          ? {
              kind: "foreign key",
              name: `${table.name}.${key.name}`,
              outcome: "reported" as const,
              note: "MariaDB has no foreign keys on partitioned tables",
            }
          : same("foreign key", `${table.name}.${key.name}`),
      ),
      ...table.checks.map((check) => same("check", `${table.name}.${check.name}`)),
    ]),
    ...catalogue.others.map(({ kind, name }) => same(kind, name)),
  ];
}

const mariaOnly = new Set(["uuid", "inet4", "inet6"]);

function sayApart(tables: readonly MysqlTable[], targetMaria: boolean, say: Say): void {
  for (const table of tables) {
    for (const { name, dataType, collation } of table.columns) {
      const column = `${table.name}.${name}`;
      if (targetMaria && dataType === "json")
        say("note", "type_changes", column, "MariaDB keeps JSON as a text with a check");
      if (targetMaria && collation?.includes("_0900_"))
        say(
          "note",
          "collation_changes",
          column,
          `MariaDB may not have the collation ${collation}: one that compares alike is taken`,
        );
      if (!targetMaria && mariaOnly.has(dataType))
        say("note", "type_changes", column, `MySQL has no type ${dataType}: its text is kept`);
    }
    if (!targetMaria && table.versioned)
      say(
        "warning",
        "history_lost",
        table.name,
        "MySQL has no system versioning: present rows only",
        "copy the history by a query of your own",
      );
  }
}

export async function postgresToPostgres(source: PostgresSession): Promise<PlannedObject[]> {
  const things = await readInventory(source, new Set());
  const left = await readLeftBehind(source);
  return [
    ...things.map(({ kind, name }) => ({ kind, name, outcome: "copied" as const })),
    ...left.map((entry) => ({ ...entry, outcome: "reported" as const })),
  ];
}

/** By the planners of the copy itself, as if every table were new. */
export async function postgresToMysql(
  source: PostgresSession,
  tables: readonly PostgresTable[],
  all: readonly PostgresTable[],
  target: { maria: boolean; version: number; exact: boolean; database: string },
  options: CopyOptions,
  say: Say,
): Promise<PlannedObject[]> {
  const scheme = createMysqlScheme(
    { ...target, unsignedZero: false, relations: [], constraints: [] },
    tables,
    options.schemas,
  );
  const unread = { tables: [], sequences: [], snapshot: "", encoding: "", size: 0 };
  const { states } = planAll({ options, version: source.version, source: unread }, scheme, tables, all);
  const plans = states.map(({ plan }) => plan);
  const keys = planForeignKeysToMysql(scheme, new Map(plans.map((plan) => [plan.source.oid, plan])));
  const planned = [...plans.flatMap(({ inventory }) => inventory), ...keys.inventory];
  for (const entry of planned.filter(isLostKey))
    say(
      "warning",
      "key_lost",
      entry.name,
      `${entry.kind} has no equal in MySQL: ${entry.note ?? "what it forbids is allowed there"}`,
      "keep the rule in the application, or change the key in the source",
    );
  for (const plan of plans) sayNamesAlike(plan, say);
  sayDoubleNames(tables, say);
  return [
    ...planned,
    ...keys.keys.map(({ table, source: key }) => ({
      kind: "constraint",
      name: foreignKeyName(table.source, key),
      outcome: "converted" as const,
    })),
    ...(await readObjects(source)).map(reportObject).map(hopeful),
  ].map(withoutText);
}

/** MySQL does not tell names of columns apart by case. */
function sayNamesAlike({ source, columns }: TablePlan, say: Say): void {
  for (const { source: column, name } of columns) {
    const other = source.columns.find(
      (one) => one.name !== column.name && one.name.toLowerCase() === column.name.toLowerCase(),
    );
    if (other !== undefined && name !== column.name)
      say(
        "warning",
        "names_alike",
        `${source.schema}.${source.name}.${column.name}`,
        `MySQL does not tell it from column ${other.name}: it becomes ${name}`,
        "rename one of the two in the source to choose its name",
      );
  }
}

/** Names of foreign keys are unique in a MySQL database, in a table in PostgreSQL. */
function sayDoubleNames(tables: readonly PostgresTable[], say: Say): void {
  const seen = new Map<string, string>();
  for (const table of tables)
    for (const { name } of table.foreignKeys) {
      const other = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), table.name);
      if (other !== undefined)
        say(
          "note",
          "name_changes",
          `${table.schema}.${table.name} ${name}`,
          `a foreign key of ${other} has the name, and MySQL wants them unique in the database: it gets a suffix`,
        );
    }
}
