import { counted } from "../../../../guard/text.ts";
import type { CopyOptions } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { recordTables } from "../../../mysql/target/create.ts";
import { finishedOf } from "../../../run/fence/finished-marks.ts";
import { map } from "../../../run/memory/iterators.ts";
import { refuseCounts } from "../../../run/row-counts.ts";
import { differingColumns } from "../../../verify/checksum/generated-columns.ts";
import { readComputedThere } from "../finish/read-generated-columns.ts";
import { computingOf, computingTables } from "../tables/generated-columns.ts";
import { again, planDefinition } from "../tables/plan-tables.ts";
import type { TablePlan, TablePlanning } from "../tables/table-plan.ts";
import { takePresent } from "../tables/take-present.ts";
import { copyTables, type DoneTable } from "./copy-tables.ts";
import { makePlanned } from "./create-tables.ts";
import type { FinishedTable, ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import type { SourceTexts } from "./source.ts";
import type { TargetDatabase } from "./target.ts";

/** Known of the target and of each table before any row is read. */
export interface PlannedCopy {
  target: TargetDatabase;
  /** Between MySQL and MariaDB. */
  crossing: boolean;
  content: NonNullable<CopyOptions["content"]>;
  source: SourceTexts;
  planning: TablePlanning;
  finished: ReadonlyMap<string, FinishedTable>;
  kept: ResumedTables;
  inventory: ReadonlyMap<string, KnownEntry>;
  /** What was said before of the same object gives way. */
  put(entries: readonly KnownEntry[]): void;
}

export interface CopiedRows {
  done: ReadonlyMap<string, DoneTable>;
  /** Columns that the target's server computes, where rows alone are copied. */
  there: Awaited<ReturnType<typeof readComputedThere>> | undefined;
}

export async function copyRows(run: CopyRun, planned: PlannedCopy): Promise<CopiedRows> {
  const { hooks, catalogue } = run;
  const { target, crossing, content } = planned;
  const done = await copyLargestFirst(run, planned, catalogue.tables);
  const computing = computingTables(catalogue.tables, (name) => done.get(name)?.plan, crossing);
  if (content === "all") await copyOtherwise(run, planned, { done, computing });
  if (content !== "schema") hooks.log("info", `${counted(rowsOf(done), "row")} copied`);
  refuseCounts(map(done, ([name, { rows }]) => ({ name, ...rows })));
  const there = content === "data" ? await readComputedThere(run.writers[0] as Session, target.database) : undefined;
  return { done, there };
}

const rowsOf = (done: ReadonlyMap<string, DoneTable>): number =>
  [...done.values()].reduce((sum, one) => sum + one.rows.source, 0);

interface PlannedRows extends Pick<PlannedCopy, "planning" | "source" | "content"> {
  kept: Pick<ResumedTables, "tables">;
}

/** Copies what is not kept, the largest first, so that no long table is left for the end. */
async function copyLargestFirst(
  run: CopyRun,
  { planning, source, content, kept }: PlannedRows,
  wanted: readonly SourceTable[],
): Promise<Map<string, DoneTable>> {
  const { request, progress, snapshot, fence } = run;
  // Bytes as they are in each column's own character set.
  for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = NULL");
  if (content !== "data") {
    const made = wanted.filter(({ name }) => !kept.tables.has(name));
    const named = made.map(({ name }) => [planning.targetDatabase, run.prefix + name] as const);
    await recordTables(run.writers[0] as Session, fence, named);
  }
  const done = await copyTables({
    database: planning.database,
    targetDatabase: planning.targetDatabase,
    workers: snapshot.readers.map((one, at) => ({ reader: one, writer: run.writers[at] as Session })),
    fence,
    progress,
    throttle: run.throttle,
    content,
    strict: request.options.on_object_error === "fail",
    tables: [...wanted]
      .sort((a, b) => b.dataBytes - a.dataBytes)
      .map((table) => ({
        name: table.name,
        bytes: table.dataBytes,
        kept: kept.tables.get(table.name),
        make: (session) => makeOne(run, session, planning, table, source),
        again: (plan) => again(planning, table, source, plan),
      })),
    failed: run.fail,
  });
  for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = utf8mb4");
  return done;
}

/** Tables whose generated columns the target's server computes otherwise: again, with these as plain columns. */
async function copyOtherwise(
  run: CopyRun,
  planned: PlannedRows,
  { done, computing }: { done: Map<string, DoneTable>; computing: readonly TablePlan[] },
): Promise<void> {
  const { fence, snapshot, progress, catalogue, signal, throttle, warn } = run;
  const { planning } = planned;
  if (computing.length === 0) return;
  const plain = await differingColumns(
    { engine: "mysql", sessions: snapshot.readers },
    { engine: "mysql", sessions: run.writers },
    computingOf(computing, planning.database, planning.targetDatabase),
    { jobs: snapshot.readers.length, signal, throttle, progress: () => progress.touch() },
  );
  if (plain.size === 0) return;
  for (const [table, columns] of plain)
    warn(
      `table ${table}: the target's server computes other values of ${[...columns.keys()].join(", ")} by the same expression; the table is copied again with the source's values, as plain columns`,
    );
  const again = catalogue.tables.filter(({ name }) => plain.has(name));
  const names = new Set(again.map(({ name }) => run.prefix + name));
  const gone = (await fence.made()).filter(({ kind, name: [, name = ""] }) => kind === "table" && names.has(name));
  await fence.clean(gone, (part) => !plain.has(finishedOf(part)?.table ?? ""));
  for (const { name } of again) progress.restart(name);
  const otherwise = { ...planned, planning: { ...planning, plain }, kept: { tables: new Map() } };
  for (const [name, one] of await copyLargestFirst(run, otherwise, again)) done.set(name, one);
}

async function makeOne(
  run: CopyRun,
  session: Session,
  planning: TablePlanning,
  table: SourceTable,
  source: SourceTexts,
) {
  const { plan } = planDefinition(planning, table, source);
  const { content, on_object_error } = run.request.options;
  if (content !== "data")
    return makePlanned(session, run.fence, planning.targetDatabase, plan, on_object_error === "fail");
  const found = planning.present?.get(table.name)?.() ?? plan(new Set());
  const left = await takePresent(session, run.fence, planning.targetDatabase, found, run.request.options.drop ?? []);
  if (left !== undefined) run.warn(left);
  return found;
}
