import type { CopyOptions, InventoryEntry } from "../contract/index.ts";
import { named } from "../contract/text/own-property.ts";
import type { Catalogue, SourceTable } from "../mysql/catalogue/catalogue.ts";
import { readDefinitions } from "../mysql/catalogue/objects.ts";
import { readConditions } from "../mysql/catalogue/table-conditions.ts";
import type { SourceCode } from "../mysql/definitions/code-source.ts";
import { drawsNumbers, noSequences } from "../mysql/definitions/code-sql.ts";
import { checkNamesOf } from "../mysql/definitions/named-checks.ts";
import { databaseNote, databaseWords, type TargetDefault } from "../mysql/definitions/routine-collations.ts";
import { identifier } from "../mysql/driver/names.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { refuseTriggers } from "../mysql/target/insert-triggers.ts";
import {
  charsetsOf,
  checkPresent,
  planDefinition,
  planGrants,
  readSource,
  readTarget,
  refuseMerged,
  type TablePlanning,
  tableInventory,
} from "../plan/mysql-mysql/index.ts";
import {
  checkEntry,
  createRemade,
  createScheme,
  doubtfulIndexes,
  doubtsOf,
  lostKeys,
  type ObservedType,
  othersReported,
  planForeignKeys,
  plannedGrants,
  planTable,
  planViews,
  type Scheme,
  type TablePlan,
  withoutPostgis,
  zeroDates,
} from "../plan/mysql-postgres/index.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { reportDoubts } from "./doubts.ts";
import { type PlannedObject, type ReportFinding, translatedView, untranslatedView, withoutText } from "./finding.ts";
import { reportRefused } from "./in-the-way.ts";

/** What each direction from MySQL would make of the source's objects, by its own planners, before any row is read. */

export interface MysqlSource {
  session: MysqlSession;
  database: string;
  maria: boolean;
  version: number;
  catalogue: Catalogue;
}

export interface ConversionOptions
  extends Pick<Scheme, "targetVersion" | "postgis" | "btreeGist" | "schema" | "forced"> {
  options: CopyOptions;
  /** What the target shows that the data have taught of a table; nothing where there is no copy yet. */
  observedTypes?: (table: string) => ReadonlyMap<string, ObservedType>;
}

export const schemeWishes = ({ options, observedTypes: _, ...wishes }: ConversionOptions, sourceVersion: number) => ({
  ...wishes,
  zero: zeroDates(options),
  rowless: options.content === "schema",
  sourceVersion,
  icu: true,
});

/** `target`: by its roles it is told what becomes of rights; without it they are left out. */
export async function mysqlToPostgres(
  { session, database, maria, version, catalogue }: MysqlSource,
  wishes: ConversionOptions,
  report: ReportFinding,
  target?: Pick<PostgresSession, "query">,
): Promise<PlannedObject[]> {
  const { others } = catalogue;
  const scheme = createScheme(database, maria, catalogue.tables, [], schemeWishes(wishes, version));
  const remade = createRemade();
  const plans = catalogue.tables.map((table) => {
    const learnt = wishes.observedTypes?.(table.name) ?? new Map();
    return remade(() => planTable(scheme, table, learnt));
  });
  for (const { source, copied } of plans) reportDoubts(source.name, doubtsOf(copied), report);
  for (const words of lostKeys(plans))
    report(
      "warning",
      "key_lost",
      words.split(" is not ")[0] ?? "",
      words,
      "add a key that the target supports, or ignore this if uniqueness is not needed",
    );
  for (const words of withoutPostgis(wishes.postgis, plans))
    report("warning", "no_postgis", "postgis", words, "CREATE EXTENSION postgis in the target database");
  for (const words of doubtfulIndexes(plans))
    report(
      "warning",
      "index_too_long",
      words.split(":")[0] ?? "",
      words,
      "shorten the values, or index a part of the column",
    );
  for (const { source, inventory } of plans) reportPeriods(source, inventory, report);
  const keys = planForeignKeys(scheme, new Map(plans.map((plan) => [plan.source.name, plan])));
  return [
    ...plans.flatMap(({ inventory }) => inventory),
    ...plans.flatMap((plan) => plan.checks.map((check) => checkEntry(plan.source.name, check, "converted"))),
    ...keys.inventory,
    ...keys.keys.map(({ table, source }) => ({
      kind: "foreign key",
      name: `${table.source.name}.${source.name}`,
      outcome: "converted" as const,
    })),
    ...(await plannedOthers(session, scheme, others, plans)),
    ...(target === undefined ? [] : await plannedGrants(session, target, plans, scheme)),
  ].map(withoutText);
}

/** MariaDB's rows of the past, its periods, and its keys that keep these apart. */
function reportPeriods(table: SourceTable, inventory: readonly InventoryEntry[], report: ReportFinding): void {
  const keys = new Set(
    table.indexes.flatMap(({ name, period }) => (period === undefined ? [] : [`${table.name}.${name}`])),
  );
  for (const { kind, name, outcome, note = "" } of inventory)
    if (outcome === "reported" && (kind === "period" || (kind === "index" && keys.has(name))))
      report("warning", "not_carried_over", `${kind} ${name}`, note, "see the report's text of it");
  if (table.versioned)
    report(
      "warning",
      "history_lost",
      table.name,
      "PostgreSQL has no system versioning: present rows only",
      "copy the history by a query of your own",
    );
}

async function plannedOthers(
  session: MysqlSession,
  scheme: Scheme,
  others: Catalogue["others"],
  tables: readonly TablePlan[],
): Promise<InventoryEntry[]> {
  await readDefinitions([session], scheme.database, others);
  const { plans, refused } = planViews(scheme, others, tables);
  const views = new Map([
    ...plans.map(({ source, notes }) => [source, translatedView(notes)] as const),
    ...[...refused].map(([name, reason]) => [name, untranslatedView(reason)] as const),
  ]);
  return [
    ...others.flatMap(({ kind, name }) => (kind === "sequence" ? [{ kind, name, outcome: "converted" as const }] : [])),
    ...othersReported(others, views),
  ];
}

export interface BetweenMysql {
  source: MysqlSource;
  /** The target's database. */
  target: string;
  /** Tables, views and sequences that the options leave out. */
  left: readonly string[];
  options: CopyOptions;
}

/** By the plans of the copy itself: texts as they are between servers of one kind, in the other's words where they are not. */
export async function mysqlToMysql(
  to: MysqlSession,
  { source: { session: from, database, catalogue }, target, left, options }: BetweenMysql,
  report: ReportFinding,
): Promise<PlannedObject[]> {
  const prefix = named(options.schemas, database) ?? "";
  const traits = await readTarget(to, target);
  const source = await readSource(from, database, catalogue, options.content ?? "all", () => undefined);
  const planning: TablePlanning = {
    ...{ database, server: from.server, target: traits, targetDatabase: target, prefix },
    checkNames: checkNamesOf(catalogue.tables),
  };
  const copied = new Set(catalogue.tables.map(({ name }) => name));
  // One table's plan at a time: those of ten thousand do not fit into a worker's memory.
  const defined = (table: SourceTable) => planDefinition(planning, table, source);
  const planned = (table: SourceTable) => defined(table).plan(new Set());
  await reportRefused(report, "tables", () => refuseMerged(catalogue.tables));
  if (options.content === "data") {
    const names = catalogue.tables.map(({ name }) => prefix + name);
    await reportRefused(report, target, () => refuseTriggers(to, target, names));
    const charsets = await charsetsOf(to);
    const conditions = await readConditions(to, target);
    for (const table of catalogue.tables) {
      const name = prefix + table.name;
      await reportRefused(report, name, async () => {
        const { doubts } = await checkPresent(to, target, defined(table), options.drop ?? [], charsets, conditions);
        reportDoubts(name, doubts, report);
      });
    }
  }
  const objects = catalogue.tables.flatMap((table) => tableInventory(planned(table), options.content));
  for (const { kind, name, outcome, note = "" } of objects) {
    if (outcome === "reported")
      report("warning", "not_carried_over", `${kind} ${name}`, note, "see the report's text of it");
    if (outcome === "converted") report("note", "type_changes", name, note);
  }
  for (const table of catalogue.tables)
    if (table.versioned && !(to.server.maria && to.server.version >= 101_100))
      report(
        "warning",
        "history_lost",
        table.name,
        "the target's server does not take rows of the past: present rows only",
        "copy the history by a query of your own",
      );
  const crossing = from.server.maria !== to.server.maria;
  const codes = plannedCodes(source.codes, { database, left, prefix, crossing, toMaria: to.server.maria, traits });
  for (const { kind, name, outcome, note = "" } of codes)
    if (outcome !== "reported" && note.includes(databaseWords))
      report("warning", "type_changes", `${kind} ${name}`, note);
  const sequences = new Set(to.server.maria ? source.sequences.map(({ name }) => name) : []);
  // A view is a table to a grant.
  const there = new Set([
    ...[...copied, ...sequences].map((name) => `table ${name}`),
    ...codes.flatMap(({ kind, name, outcome }) =>
      outcome === "reported" ? [] : [`${kind === "view" ? "table" : kind} ${name}`],
    ),
  ]);
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
          note: `table ${one.key.referencedTable}, to which it refers, is skipped by the options`,
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
    ...codes,
    ...planGrants(to, source.grants, {
      database: target,
      prefix,
      has: (kind, name) => there.has(`${kind} ${name}`),
      sequences,
      accounts: traits.accounts,
      crossing,
    }),
  ];
}

interface Coding {
  database: string;
  left: readonly string[];
  prefix: string;
  crossing: boolean;
  toMaria: boolean;
  traits: TargetDefault;
}

/** A view cannot be made without what it reads, nor one that stands on it. */
function plannedCodes(codes: readonly SourceCode[], coding: Coding): PlannedObject[] {
  const { database, left } = coding;
  const gone = new Map(left.map((name) => [name, name]));
  const reads = (shown: string, name: string) =>
    ["", `${identifier(database)}.`].some((within) =>
      ["from", "join"].some((word) =>
        new RegExp(`\\b${word} \\(*${escaped(within + identifier(name))}(?![.\`])`, "i").test(shown),
      ),
    );
  const views = codes.filter(({ kind }) => kind === "view");
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const { name, shown } of views) {
      const missing = [...gone.keys()].find((one) => !gone.has(name) && reads(shown, one));
      if (missing !== undefined) gone.set(name, missing);
    }
  }
  return codes.map((code): PlannedObject => {
    const missing = code.kind === "view" ? gone.get(code.name) : undefined;
    if (missing === undefined) return withDatabaseNote(plannedCode(code, coding), code, coding);
    const note = `it reads ${missing}, which is skipped by the options, or depends on a skipped object`;
    return { kind: "view", name: code.name, outcome: "reported", note };
  });
}

const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}]/g, "\\$&");

function withDatabaseNote(planned: PlannedObject, code: SourceCode, { traits }: Coding): PlannedObject {
  const note = planned.outcome === "reported" ? undefined : databaseNote(code, traits);
  if (note === undefined) return planned;
  return { ...planned, outcome: "converted", note: planned.note === undefined ? note : `${planned.note}; ${note}` };
}

function plannedCode(code: SourceCode, { prefix, crossing, toMaria }: Coding): PlannedObject {
  const { kind, name, shown, body, doubt } = code;
  if (prefix !== "")
    return { kind, name, outcome: "reported", note: "its text names tables that got a prefix by the option schemas" };
  if (kind === "view" && !toMaria && drawsNumbers(shown || body))
    return { kind, name, outcome: "reported", note: noSequences };
  if (shown === "")
    return { kind, name, outcome: "reported", note: doubt ?? "the source's user lacks the right to SHOW CREATE" };
  if (doubt !== undefined) return { kind, name, outcome: "converted", note: doubt };
  if (!crossing) return { kind, name, outcome: "copied" };
  return {
    kind,
    name,
    outcome: "converted",
    note: "its text as it is, where the target's server takes it, else reported",
  };
}
