import type { CopyOptions } from "../../contract/index.ts";
import type { Catalogue, SourceTable } from "../../mysql/catalogue/catalogue.ts";
import type { SourceCode } from "../../mysql/definitions/code-source.ts";
import { drawsNumbers, escaped, noSequences } from "../../mysql/definitions/code-sql.ts";
import { databaseNote, type TargetDefault } from "../../mysql/definitions/routine-collations.ts";
import { identifier } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { map } from "../../run/memory/iterators.ts";
import { databaseInTarget } from "../../run/renamed-schemas.ts";
import { lostKeyWarnings } from "../lost-keys.ts";
import { type Plan, type PlannedObject, type PlannedTable, type PlanWarning, withoutText } from "../types.ts";
import { readSource } from "./copy/source.ts";
import { readTarget } from "./copy/target.ts";
import { namesPrefixed, unreadText } from "./finish/create-code.ts";
import { withoutParent } from "./finish/foreign-keys.ts";
import { planGrants } from "./finish/grants.ts";
import { type DefinedTable, planDefinition, readPlanning } from "./tables/plan-tables.ts";
import { tableInventory } from "./tables/table-inventory.ts";

/**
 * What a copy between MySQL's or MariaDB's would make of the source's objects: texts as they are between servers of one kind,
 * in the other's words where they are not.
 */
interface BetweenMysql {
  source: { session: Session; database: string; catalogue: Catalogue };
  /** The target's database. */
  target: string;
  /** Tables, views and sequences that the options leave out. */
  left: readonly string[];
  options: CopyOptions;
}

export interface MysqlPlan extends Plan {
  /** A table's definition in the target, made anew. Errors: `definition_incomplete`. */
  defined(table: SourceTable): DefinedTable;
}

export async function planCopy(
  to: Session,
  { source: { session: from, database, catalogue }, target, left, options }: BetweenMysql,
): Promise<MysqlPlan> {
  const prefix = databaseInTarget(options.schemas, database, "mysql");
  const traits = await readTarget(to, target);
  const source = await readSource(from, database, catalogue, options.content ?? "all", () => undefined);
  const planning = await readPlanning(from, to, { database, prefix, target: traits, tables: catalogue.tables });
  const copied = new Set(catalogue.tables.map(({ name }) => name));
  const toMaria = to.server.maria;
  const crossing = from.server.maria !== toMaria;
  const codes = plannedCodes(source.codes, { database, left, prefix, crossing, toMaria, traits });
  const sequences = new Set(toMaria ? source.sequences.map(({ name }) => name) : []);
  // A view is a table to a grant.
  const granted = new Set([
    ...[...copied, ...sequences].map((name) => `table ${name}`),
    ...codes.objects.flatMap(({ kind, name, outcome }) =>
      outcome === "reported" ? [] : [`${kind === "view" ? "table" : kind} ${name}`],
    ),
  ]);
  const defined = (table: SourceTable) => planDefinition(planning, table, source);
  const plannedTable = (table: SourceTable): PlannedTable => ({
    source: [database, table.name],
    outcomes: tableInventory(defined(table).plan(new Set()), options.content).map(
      foreignKeyOutcome(table, { database, copied, toMaria }),
    ),
  });
  const warnings: PlanWarning[] = [];
  for (const table of catalogue.tables) warnings.push(...plannedTable(table).outcomes.flatMap(changeWarning));
  return {
    defined,
    tables: { [Symbol.iterator]: () => map(catalogue.tables, plannedTable) },
    objects: [
      ...source.sequences.map(
        ({ name }): PlannedObject =>
          toMaria
            ? { kind: "sequence", name, outcome: "copied" }
            : { kind: "sequence", name, outcome: "reported", note: "MySQL has no sequences" },
      ),
      ...codes.objects,
      ...planGrants(to, source.grants, {
        database: target,
        prefix,
        has: (kind, name) => granted.has(`${kind} ${name}`),
        sequences,
        accounts: traits.accounts,
        crossing,
      }).map(withoutText),
    ],
    warnings: [...warnings, ...historyWarnings(catalogue.tables, to), ...codes.warnings],
  };
}

function changeWarning(entry: PlannedObject): PlanWarning[] {
  const { kind, name, outcome, note = "", lostKey } = entry;
  if (lostKey) return lostKeyWarnings([entry]);
  if (outcome === "reported") {
    const fix = "see the report's text of it";
    return [{ severity: "warning", code: "not_carried_over", object: `${kind} ${name}`, reason: note, fix }];
  }
  return outcome === "converted" ? [{ severity: "note", code: "type_changes", object: name, reason: note }] : [];
}

function historyWarnings(tables: readonly SourceTable[], { server: { maria, version } }: Session): PlanWarning[] {
  if (maria && version >= 101_100) return [];
  return tables.flatMap(({ versioned, name }): PlanWarning[] => {
    if (!versioned) return [];
    const reason = "the target's server does not take rows of the past: present rows only";
    const fix = "copy the history by a query of your own";
    return [{ severity: "warning", code: "history_lost", object: name, reason, fix }];
  });
}

/** A foreign key may be one that the target cannot have. */
function foreignKeyOutcome(
  table: SourceTable,
  { database, copied, toMaria }: { database: string; copied: ReadonlySet<string>; toMaria: boolean },
): (entry: Parameters<typeof withoutText>[0]) => PlannedObject {
  const keys = new Map(table.foreignKeys.map((key) => [`${table.name}.${key.name}`, key]));
  return (entry) => {
    const plain = withoutText(entry);
    const key = entry.kind === "foreign key" ? keys.get(entry.name) : undefined;
    if (key === undefined) return plain;
    if (key.referencedSchema === database && !copied.has(key.referencedTable))
      return { ...plain, outcome: "not_applicable", note: withoutParent(key) };
    if (table.partitions !== null && toMaria)
      return {
        ...plain,
        outcome: "reported",
        note: "MariaDB has no foreign keys on partitioned tables",
        lostKey: true,
      };
    return plain;
  };
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
function plannedCodes(codes: readonly SourceCode[], coding: Coding) {
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
  const warnings: PlanWarning[] = [];
  const objects = codes.map((code): PlannedObject => {
    const { kind, name } = code;
    const missing = kind === "view" ? gone.get(name) : undefined;
    if (missing !== undefined) {
      const note = `it reads ${missing}, which is skipped by the options, or depends on a skipped object`;
      return { kind, name, outcome: "reported", note };
    }
    const planned = plannedCode(code, coding);
    const changed = planned.outcome === "reported" ? undefined : databaseNote(code, coding.traits);
    if (changed === undefined) return planned;
    const reason = planned.note === undefined ? changed : `${planned.note}; ${changed}`;
    warnings.push({ severity: "warning", code: "type_changes", object: `${kind} ${name}`, reason });
    return { ...planned, outcome: "converted", note: reason };
  });
  return { objects, warnings };
}

function plannedCode(code: SourceCode, { prefix, crossing, toMaria }: Coding): PlannedObject {
  const { kind, name, shown, body, doubt } = code;
  if (prefix !== "") return { kind, name, outcome: "reported", note: namesPrefixed };
  if (kind === "view" && !toMaria && drawsNumbers(shown || body))
    return { kind, name, outcome: "reported", note: noSequences };
  if (shown === "") return { kind, name, outcome: "reported", note: doubt ?? unreadText };
  if (doubt !== undefined) return { kind, name, outcome: "converted", note: doubt };
  if (!crossing) return { kind, name, outcome: "copied" };
  return {
    kind,
    name,
    outcome: "converted",
    note: "its text as it is, where the target's server takes it, else reported",
  };
}
