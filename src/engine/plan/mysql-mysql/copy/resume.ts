import { createHash } from "node:crypto";
import { counted } from "../../../../guard/text.ts";
import type { CopyOptions, InventoryEntry, Verification } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Item } from "../../../mysql/definitions/definition.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { isOurs } from "../../../mysql/fence/drop.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { lookUp, shapeOf } from "../../../mysql/fence/identity.ts";
import { isShapeMark } from "../../../mysql/fence/others-work.ts";
import { isOwnRowsMark, ownRows, refuseOthersRows } from "../../../mysql/fence/own-rows.ts";
import { reopenTable } from "../../../mysql/target/create.ts";
import { type FinishedMark, markOf } from "../../../run/fence/finished-marks.ts";
import { verifiedEqual } from "../../../run/verified-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { KeptTable } from "./kept-table.ts";

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
  entries: InventoryEntry[];
  /** What its values had to give up. */
  warnings: string[];
}

const itemKey = ({ kind, name }: Item): string => `${kind} ${name}`;

const digestOf = (plan: TablePlan, content: string): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        content,
        plan.shown,
        plan.name,
        plan.select,
        plan.later,
        plan.translated.items.map(({ text }) => text),
        plan.translated.options,
        plan.translated.partitions,
        plan.source.autoIncrement,
      ]),
    )
    .digest("hex");

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
    digest: digestOf(plan, content),
    shape: shape ?? "",
    without: [...plan.without].map(itemKey),
    entries,
    warnings,
  };
  await fence.partDone(session, markOf(finished), rows);
  return shape;
}

export interface ResumeRequest {
  session: Session;
  fence: MysqlFence;
  /** Of the target. */
  database: string;
  content: NonNullable<CopyOptions["content"]>;
  finished: ReadonlyMap<string, FinishedTable>;
  /** options.drop. */
  drop: readonly string[];
  tables: readonly SourceTable[];
  /** `undone`: which items the plan is to be without. */
  plan(table: SourceTable, undone: (item: Item) => boolean): TablePlan;
  compare(plans: readonly TablePlan[]): Promise<Verification>;
  /** The table's name as a comparison writes it. */
  words(table: string): string;
  log(message: string): void;
}

export interface ResumedTables {
  /** By the source's name of the table. */
  tables: Map<string, KeptTable>;
  copiedAgain: string[];
  /** Whether the fence is to keep a mark, or what it knows of an object. */
  part(part: string): boolean;
  object(kind: string, name: readonly string[]): boolean;
}

/**
 * Of the tables that an earlier attempt finished, those that are proven to be as they should. Errors: `target_not_empty`,
 * where others' rows stand in one of the rest that was there before.
 */
export async function keepFinished(keeping: ResumeRequest): Promise<ResumedTables> {
  const { finished, tables, log, content } = keeping;
  const candidates: TablePlan[] = [];
  for (const table of tables) {
    const earlier = finished.get(table.name);
    if (earlier === undefined) continue;
    const plan = keeping.plan(table, (item) => earlier.without.includes(itemKey(item)));
    if (digestOf(plan, content) === earlier.digest && (await isAsLeft(keeping, plan, earlier))) candidates.push(plan);
  }
  if (candidates.length > 0)
    log(`Comparing ${counted(candidates.length, "table")} of an earlier attempt with the source`);
  const words = ({ source }: TablePlan) => keeping.words(source.name);
  const proven = await verifiedEqual(candidates.map(words), () => keeping.compare(candidates));
  const equal = candidates.filter((plan) => proven.has(words(plan)));
  const kept = new Map(
    equal.map((plan): [string, KeptTable] => {
      const { entries = [], warnings = [] } = finished.get(plan.source.name) ?? {};
      return [plan.source.name, { plan, entries, warnings }];
    }),
  );
  const copiedAgain = tables.flatMap(({ name }) => (finished.has(name) && !kept.has(name) ? [name] : []));
  // Tables into which an earlier attempt put rows, or was about to.
  const begun = (await keeping.fence.made()).flatMap(({ kind, name }) => (kind === "rows" ? [name] : []));
  if (content === "data")
    await refuseOthersRows(
      keeping.session,
      begun.filter(([, name]) => !equal.some((plan) => plan.name === name)),
      ownRows(await keeping.fence.parts()),
      keeping.drop,
    );
  for (const name of kept.keys())
    log(`table ${printable(name)} was finished by an earlier attempt and is equal to the source: it is kept`);
  for (const name of copiedAgain)
    log(
      `table ${printable(name)} was finished by an earlier attempt, but is not verified as equal to the source: it is copied again`,
    );
  const marks = new Set([...kept.keys()].map((name) => markOf(finished.get(name) as FinishedTable)));
  const names = new Set(equal.map(({ name }) => name));
  return {
    tables: kept,
    copiedAgain,
    part: (part) =>
      marks.has(part) || isShapeMark(part, (name) => names.has(name)) || isOwnRowsMark(part, (name) => names.has(name)),
    object: (kind, [, name]) => (kind === "table" || kind === "rows") && names.has(name ?? ""),
  };
}

async function isAsLeft(
  { session, fence, database, content }: ResumeRequest,
  plan: TablePlan,
  { shape }: FinishedTable,
): Promise<boolean> {
  const name = [database, plan.name] as const;
  if (content !== "data") return (await reopenTable(session, fence, name)) && (await shapeOf(session, name)) === shape;
  const rows = { kind: "rows", name: [...name] };
  const [found, known] = [await lookUp(session, rows), await fence.adopt(session, rows)];
  if (found === undefined || known === undefined || (await shapeOf(session, name)) !== shape) return false;
  return isOurs(session, known.object, known.proofs, found);
}
