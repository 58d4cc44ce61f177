import type { CopyOptions, InventoryEntry } from "../contract.ts";
import type { Catalogue } from "../mysql/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import type { SourceCode } from "../mysql-to-mysql/code-source.ts";
import { planOf } from "../mysql-to-mysql/pass.ts";
import { inventoryOf, type Planning } from "../mysql-to-mysql/plan.ts";
import { readSource } from "../mysql-to-mysql/source.ts";
import { readTarget } from "../mysql-to-mysql/target.ts";
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

export interface BetweenMysql {
  source: MysqlSource;
  /** The target's database. */
  target: string;
  options: CopyOptions;
}

/** By the plans of the copy itself: texts as they are between servers of one kind, in the other's words where they are not. */
export async function mysqlToMysql(
  from: MysqlSession,
  to: MysqlSession,
  { source: { database, catalogue }, target, options }: BetweenMysql,
  say: Say,
): Promise<PlannedObject[]> {
  const prefix = options.schemas?.[database] ?? "";
  const traits = await readTarget(to, target);
  const source = await readSource(from, database, catalogue, options.content ?? "all");
  const planning: Planning = { database, server: from.server, target: traits, targetDatabase: target, prefix };
  const copied = new Set(catalogue.tables.map(({ name }) => name));
  const objects = catalogue.tables.flatMap((table) => inventoryOf(planOf(planning, table, source).plan(new Set())));
  for (const { kind, name, outcome, note = "" } of objects) {
    if (outcome === "reported")
      say("warning", "not_carried_over", `${kind} ${name}`, note, "see the report's text of it");
    if (outcome === "converted") say("note", "type_changes", name, note);
  }
  for (const table of catalogue.tables)
    if (table.versioned && !(to.server.maria && to.server.version >= 101_100))
      say(
        "warning",
        "history_lost",
        table.name,
        "the target's server does not take rows of the past: present rows only",
        "copy the history by a query of your own",
      );
  const keys = new Map(
    catalogue.tables.flatMap((table) => table.foreignKeys.map((key) => [`${table.name}.${key.name}`, { table, key }])),
  );
  return [
    ...objects.map((entry): PlannedObject => {
      const one = entry.kind === "foreign key" ? keys.get(entry.name) : undefined;
      const { definition: _, ...plain } = entry;
      if (one === undefined) return plain;
      if (one.key.referencedSchema === database && !copied.has(one.key.referencedTable))
        return {
          ...plain,
          outcome: "not_applicable",
          note: `table ${one.key.referencedTable}, to which it refers, is left out by the options`,
        };
      if (one.table.partitions !== null && to.server.maria)
        return { ...plain, outcome: "reported", note: "MariaDB has no foreign keys on partitioned tables" };
      return plain;
    }),
    ...source.sequences.map(
      ({ name }): PlannedObject =>
        to.server.maria
          ? { kind: "sequence", name, outcome: "copied" }
          : { kind: "sequence", name, outcome: "reported", note: "MySQL has no sequences" },
    ),
    ...source.codes.map((code): PlannedObject => plannedCode(code, prefix, from.server.maria !== to.server.maria)),
  ];
}

function plannedCode({ kind, name, shown }: SourceCode, prefix: string, crossing: boolean): PlannedObject {
  if (prefix !== "")
    return { kind, name, outcome: "reported", note: "its text names tables that got a prefix by the option schemas" };
  if (shown === "")
    return { kind, name, outcome: "reported", note: "the source's user lacks the right to SHOW CREATE" };
  if (!crossing) return { kind, name, outcome: "copied" };
  return {
    kind,
    name,
    outcome: "converted",
    note: "its text as it is, where the target's server takes it, else reported",
  };
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
