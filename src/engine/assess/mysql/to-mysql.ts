import type { CopyOptions } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import {
  type Chosen,
  createScheme,
  foreignKeyName,
  isLostKey,
  keyOutcome,
  objectEntries,
  type Plans,
  planAll,
  planForeignKeys,
  planViews,
  type Readables,
  readSequences,
  type SourceSequence,
  type SourceView,
  sequenceEntries,
  type TablePlan,
  type Viewed,
  type ViewOutcomes,
  withView,
} from "../../plan/postgres-mysql/index.ts";
import type { SourceTable } from "../../postgres/catalogue/catalogue.ts";
import { readObjects } from "../../postgres/catalogue/objects.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import type { Srids } from "../../rows/copy-to-load/fields.ts";
import { createSelection } from "../../run/selection.ts";
import { reportDoubts } from "../doubts.ts";
import { type PlannedObject, type ReportFinding, translatedView, untranslatedView, withoutText } from "../finding.ts";
import { reportSequences } from "../postgres/index.ts";

/** What a copy from PostgreSQL to MySQL or MariaDB would make of the source's objects, by its own planners, before any row is read. */

export interface Converting {
  session: Session;
  chosen: Chosen;
  /** With partitions. */
  all: readonly SourceTable[];
  views: readonly SourceView[];
  /** A sequence of another copy's checkpoint. */
  isOwn(sequence: SourceSequence): boolean;
}

export interface Converted {
  /** Made anew at each look. */
  plans: Plans;
  objects: PlannedObject[];
}

/** By the planners of the copy itself, as if every table were new; of rows alone the plans only. */
export async function postgresToMysql(
  { session: source, chosen, all, views, isOwn }: Converting,
  target: { maria: boolean; version: number; exact: boolean; database: string; srids?: Srids | undefined },
  options: CopyOptions,
  report: ReportFinding,
): Promise<Converted> {
  const { tables } = chosen;
  const scheme = createScheme(
    { ...target, unsignedZero: false, relations: [], constraints: [] },
    tables,
    options.schemas,
  );
  const unread = { tables: [], sequences: [], snapshot: "", encoding: "", size: 0, facts: { connections: 0 } };
  const { plans } = planAll({ options, version: source.version, source: unread }, scheme, tables, all);
  if (options.content === "data") return { plans, objects: [] };
  const taken: string[] = [];
  const planned: PlannedObject[] = [];
  const alike: NameAlike[] = [];
  for (const plan of plans.values()) {
    reportDoubts(plan.name, plan.doubts, report);
    taken.push(plan.name);
    planned.push(...plan.inventory.map(withoutText));
    alike.push(...namesAlike(plan));
  }
  const viewed = { scheme, version: source.version, schemas: options.schemas, taken, exact: target.exact };
  const outcomes = viewsToMysql(viewed, views, plans, options);
  const sequences = (await readSequences(source)).filter((sequence) => !isOwn(sequence));
  const entries = sequenceEntries(sequences, plans.values(), chosen);
  const isWanted = (_: unknown, at: number) => entries[at]?.outcome !== "not_applicable";
  const mute = sequences.filter(isWanted).filter(({ last }) => last === null);
  reportSequences(source, mute, "warning", report);
  const keys = planForeignKeys(scheme, plans);
  planned.push(...keys.inventory.map(withoutText));
  for (const entry of planned.filter(isLostKey))
    report(
      "warning",
      "key_lost",
      entry.name,
      `${entry.kind} has no equal in MySQL: ${entry.note ?? "what it forbids is allowed there"}`,
      "keep the rule in the application, or change the key in the source",
    );
  for (const { column, other, name } of alike)
    report(
      "warning",
      "names_alike",
      column,
      `MySQL does not tell it from column ${other}: it becomes ${name}`,
      "rename one of the two in the source to choose its name",
    );
  reportDoubleNames(tables, report);
  const others = [
    ...keys.keys.map((key) => ({
      kind: "constraint",
      name: foreignKeyName(key.table.source, key.source),
      outcome: keyOutcome(key),
      ...(key.remarks.length === 0 ? {} : { note: key.remarks.join("; ") }),
    })),
    ...objectEntries(await readObjects(source), chosen).map((entry) => withView(entry, outcomes)),
    ...entries,
  ].map(withoutText);
  return { plans, objects: [...planned, ...others] };
}

/** As the copy makes them, but for those that the target's server refuses. */
function viewsToMysql(
  viewed: Viewed,
  views: readonly SourceView[],
  plans: Readables,
  options: CopyOptions,
): ViewOutcomes {
  const selection = createSelection(options);
  const leftOut = { outcome: "not_applicable", note: "skipped by options.include or options.exclude" } as const;
  const has = ({ schema, view }: SourceView) => selection.has(schema, view);
  const { plans: made, refused } = planViews(viewed, views.filter(has), plans);
  return new Map([
    ...views.filter((view) => !has(view)).map(({ name }) => [printable(name), leftOut] as const),
    ...made.map(({ source, notes }) => [printable(source.name), translatedView(notes)] as const),
    ...[...refused].map(([name, reason]) => [printable(name), untranslatedView(reason)] as const),
  ]);
}

interface NameAlike {
  column: string;
  other: string;
  /** In the target. */
  name: string;
}

/** MySQL does not tell names of columns apart by case. */
const namesAlike = ({ source, columns }: TablePlan): NameAlike[] =>
  columns.flatMap(({ source: column, name }) => {
    const other = source.columns.find(
      (one) => one.name !== column.name && one.name.toLowerCase() === column.name.toLowerCase(),
    );
    if (other === undefined || name === column.name) return [];
    return [{ column: `${source.schema}.${source.name}.${column.name}`, other: other.name, name }];
  });

/** Names of foreign keys are unique in a MySQL database, in a table in PostgreSQL. */
function reportDoubleNames(tables: readonly SourceTable[], report: ReportFinding): void {
  const seen = new Map<string, string>();
  for (const table of tables)
    for (const { name } of table.foreignKeys) {
      const other = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), table.name);
      if (other !== undefined)
        report(
          "note",
          "name_changes",
          `${table.schema}.${table.name} ${name}`,
          `a foreign key of ${other} has the name, and MySQL wants them unique in the database: it gets a suffix`,
        );
    }
}
