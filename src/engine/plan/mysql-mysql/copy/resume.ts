import type { Verification } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Item } from "../../../mysql/definitions/definition.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { shapeOf } from "../../../mysql/fence/identity.ts";
import { reopenTable } from "../../../mysql/target/create.ts";
import { digestOf, type FinishedMark, markOf } from "../../../run/fence/finished-marks.ts";
import {
  isFilledByUs,
  type KeptCandidate,
  type KeptTables,
  keepEqual,
  type ResumedTarget,
} from "../../../run/kept-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * What an earlier attempt of the same owner has finished. A table is marked when its rows and indexes are there; it is kept
 * only if its text in the source is still the same, it stands in the target as it was left, and its values are equal to
 * those of the new snapshot.
 */
export interface FinishedTable extends FinishedMark {
  /** Of all that decides what is made of the table, its counter's value among it. */
  digest: string;
  /** What it looked like in the target then; foreign keys came later. */
  shape: string;
  /** Keys of the items that were given up (create-tables.ts). */
  without: string[];
  /** Indexes that the target refused. */
  entries: KnownEntry[];
  /** What its values had to give up. */
  warnings: string[];
}

/** A table that an earlier attempt finished. */
export interface KeptTable {
  /** In the target. */
  name: string;
  /** Made anew at each call. */
  plan(): TablePlan;
  entries: KnownEntry[];
  /** What its values had to give up. */
  warnings: string[];
}

const itemKey = ({ kind, name }: Item): string => `${kind} ${name}`;

const planDigest = (plan: TablePlan, content: string): string =>
  digestOf([
    content,
    plan.shown,
    plan.name,
    plan.select,
    plan.later,
    plan.translated.items.map(({ text }) => text),
    plan.translated.options,
    plan.translated.partitions,
    plan.source.autoIncrement,
  ]);

/**
 * Marks a table whose rows and indexes are there, and answers with its shape. The versions of rows are not compared, so
 * that such a table is none to keep.
 */
export async function markFinished(
  session: Session,
  fence: MysqlFence,
  database: string,
  marking: Pick<FinishedTable, "entries" | "warnings"> & { plan: TablePlan; rows: number; content: string },
): Promise<string | undefined> {
  const { plan, rows, entries, warnings, content } = marking;
  if (plan.history) return undefined;
  const shape = await shapeOf(session, [database, plan.name]);
  const finished: FinishedTable = {
    table: plan.source.name,
    name: plan.name,
    digest: planDigest(plan, content),
    shape: shape ?? "",
    without: [...plan.without].map(itemKey),
    entries,
    warnings,
  };
  await fence.partDone(session, markOf(finished), rows);
  return shape;
}

interface ResumeRequest extends ResumedTarget {
  /** Of the target. */
  database: string;
  finished: ReadonlyMap<string, FinishedTable>;
  tables: readonly SourceTable[];
  /** `undone`: which items the plan is to be without. */
  plan(table: SourceTable, undone: (item: Item) => boolean): TablePlan;
  compare(plans: Iterable<TablePlan>): Promise<Verification>;
  /** The table's name as a comparison writes it. */
  words(table: string): string;
}

export interface ResumedTables extends Omit<KeptTables<TablePlan>, "equal"> {
  /** By the source's name of the table. */
  tables: Map<string, KeptTable>;
}

/** Of the tables that an earlier attempt finished, those that are proven to be as they should. */
export async function keepFinished(keeping: ResumeRequest): Promise<ResumedTables> {
  const { finished, tables, content } = keeping;
  const candidates: KeptCandidate<TablePlan>[] = [];
  for (const table of tables) {
    const earlier = finished.get(table.name);
    if (earlier === undefined) continue;
    const planned = () => keeping.plan(table, (item) => earlier.without.includes(itemKey(item)));
    const plan = planned();
    if (planDigest(plan, content) === earlier.digest && (await isAsLeft(keeping, plan, earlier)))
      candidates.push({
        plan: planned,
        earlier,
        label: table.name,
        compared: keeping.words(table.name),
        name: plan.name,
      });
  }
  const known = tables.flatMap(({ name }) => (finished.has(name) ? [name] : []));
  const { equal, ...kept } = await keepEqual(keeping, candidates, known, keeping.compare);
  return {
    ...kept,
    tables: new Map(
      equal.map(({ plan, label, name }) => {
        const { entries = [], warnings = [] } = finished.get(label) ?? {};
        return [label, { name, plan, entries, warnings }];
      }),
    ),
  };
}

async function isAsLeft(keeping: ResumeRequest, plan: TablePlan, { shape }: FinishedTable): Promise<boolean> {
  const { session, fence, database, content } = keeping;
  const name = [database, plan.name] as const;
  if (content !== "data") return (await reopenTable(session, fence, name)) && (await shapeOf(session, name)) === shape;
  return (await isFilledByUs(keeping, name)) && (await shapeOf(session, name)) === shape;
}
