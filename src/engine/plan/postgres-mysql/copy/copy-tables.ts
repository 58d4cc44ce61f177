import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { partOf } from "../../../mysql/fence/others-work.ts";
import { isRefusedObject } from "../../../mysql/target/refusal.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { reading } from "../../../postgres/source/holding.ts";
import { loadError } from "../../../run/load-error.ts";
import { createBlockPool } from "../../../run/memory/block-pool.ts";
import type { Task } from "../../../run/pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import { refuseCounts } from "../../../run/row-counts.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { tooWide } from "../columns/row-size.ts";
import { buildIndexes } from "../finish/build-indexes.ts";
import type { VerifyExpressions } from "../finish/verify-expressions.ts";
import type { TablePart } from "../tables/table-parts.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { type CopyWorker, copyPart, type PartResult } from "./copy-part.ts";
import { observeTypes, type ReadonlyObservedTypes } from "./observed-types.ts";
import type { TableState } from "./state.ts";
import { markMade, remakePlanned, targetName } from "./target.ts";

interface TablesRun {
  fence: MysqlFence;
  progress: ProgressAccount;
  throttle: Throttle;
  content: NonNullable<CopyOptions["content"]>;
  /** Plans the table again with what was learnt. */
  replan(plan: TablePlan, observedTypes: ReadonlyObservedTypes): TablePlan;
  /** `on_object_error: fail` */
  strict: boolean;
  warn(words: string): void;
  log(message: string): void;
  /** Called once all rows of a table are there. */
  prove: VerifyExpressions;
  /** Rows, indexes and counts are done. */
  done(state: TableState, worker: CopyWorker): Promise<void>;
}

export function tableTasks(run: TablesRun, states: readonly TableState[]): Task<CopyWorker>[] {
  const pool = createBlockPool();

  const partTasks = (state: TableState): Task<CopyWorker>[] => {
    const { parts, bytes } = state.rows;
    const round = ++state.round;
    state.left = parts.length;
    state.broken = false;
    state.results = [];
    if (parts.length === 0 || run.content === "schema" || state.kept !== undefined) return ends(state);
    return parts.map((part) => ({
      weight: bytes,
      run: (worker) =>
        reading(worker.source, state.rows.heaps, (source) => copyOne(state, part, round, { ...worker, source })),
    }));
  };

  const copyOne = async (
    state: TableState,
    part: TablePart,
    round: number,
    worker: CopyWorker,
  ): Promise<Task<CopyWorker>[]> => {
    if (!state.broken) {
      run.progress.state(tableName(state.source), "copying");
      const result = await copyPart(worker, {
        plan: state.plan,
        part,
        mark: partOf(state.plan.name, `${part.name} #${round}`),
        fence: run.fence,
        pool,
        present: run.content === "data" && (state.rows.parts.length === 1 || part.where !== undefined),
        throttle: run.throttle,
        running: state.running,
        progress: (rows, moved) => run.progress.add(tableName(state.source), rows, moved),
      }).catch((error: unknown) => fail(error, state));
      state.results.push(result);
      if (result.broken) {
        state.broken = true;
        for (const encoder of state.running) encoder.discard();
      }
    }
    if (--state.left > 0) return [];
    if (state.broken) return again(state, worker);
    return (await run.prove(state, worker)) ? anew(state, worker) : ends(state);
  };

  const again = async (state: TableState, worker: CopyWorker): Promise<Task<CopyWorker>[]> => {
    const results = state.results.filter((result) => result.broken);
    if (run.content === "data") fail(refusedBy(state), state);
    await observeTypes(state.observe(), state.plan, results, state.rows.relations, worker.source, run.log).catch(
      (error: unknown) => fail(error, state),
    );
    return anew(state, worker);
  };

  const anew = async (state: TableState, worker: CopyWorker): Promise<Task<CopyWorker>[]> => {
    state.plan = run.replan(state.plan, state.observedTypes);
    await remakePlanned(worker.target, run.fence, state.plan);
    await markMade(worker.target, run.fence, [state.plan]);
    run.progress.restart(tableName(state.source));
    return partTasks(state);
  };

  const ends = (state: TableState): Task<CopyWorker>[] => [
    {
      // The table lies in the caches now: its indexes come before other tables.
      weight: 2 ** 52,
      run: (worker) => endTask(state, worker),
    },
  ];

  const endTask = async (state: TableState, worker: CopyWorker): Promise<void> => {
    const name = tableName(state.source);
    run.progress.state(name, "indexing");
    if (state.kept === undefined && run.content !== "data") {
      const { plan } = state;
      const built = await buildIndexes({ ...run, session: worker.target }, plan);
      if (built !== plan) state.plan = built;
    }
    if (run.content !== "schema")
      state.counts = await reading(worker.source, state.rows.heaps, (source) =>
        countBoth(state, { ...worker, source }),
      );
    await run.done(state, worker);
    state.results = state.results.filter(isNoteworthy);
    run.progress.settle(name, state.counts.source);
    run.progress.state(name, "done");
  };

  return states.flatMap(partTasks);
}

/** The report says something of its values. */
const isNoteworthy = ({ findings }: PartResult): boolean =>
  findings.some(({ lost, zeros, rounded, doubled }) => lost + zeros + rounded + doubled > 0);

/** Errors: `row_count_mismatch`. */
async function countBoth(
  { plan, rows: { relations } }: TableState,
  { source, target }: CopyWorker,
): Promise<{ source: number; target: number }> {
  const there = async () => {
    let sum = 0;
    for (const from of relations) {
      const [row] = await source.query<{ rows: number }>(`SELECT pg_catalog.count(*) AS rows ${from}`);
      sum += row?.rows ?? Number.NaN;
    }
    return sum;
  };
  const here = async () =>
    Number((await target.query(`SELECT COUNT(*) FROM ${qualified(...targetName(plan))}`))[0]?.[0] ?? -1);
  const [before, after] = await Promise.all([there(), here()]);
  refuseCounts([{ name: tableName(plan.source), source: before, target: after }]);
  return { source: before, target: after };
}

/** Errors of the data itself say which table they are about. */
function fail(error: unknown, { source }: TableState): never {
  throw tooWide(error, source) ?? loadError(error, { table: tableName(source), isValue: isRefusedObject });
}

/** Rows that a table which was there cannot take. */
function refusedBy({ plan, results }: TableState): EngineError {
  const broken = results.filter((result) => result.broken);
  const refusal = broken.find(({ refusal }) => refusal !== undefined)?.refusal;
  if (refusal !== undefined) return refusal;
  const at = plan.loaded.findIndex((_, index) => broken.some(({ findings }) => findings[index]?.broken !== undefined));
  return new EngineError(
    "data_refused",
    `column ${printable(plan.loaded[at]?.name ?? "")} of the target cannot take a value of the source`,
  );
}
