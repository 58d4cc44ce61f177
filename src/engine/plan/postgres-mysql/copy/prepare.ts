import { counted } from "../../../../guard/text.ts";
import { type CopyOptions, EngineError, type MadeObject } from "../../../contract/index.ts";
import { charactersOf } from "../../../mysql/catalogue/charset-characters.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { refuseOthersWork } from "../../../mysql/fence/others-work.ts";
import { constraintKind, mysqlClaim } from "../../../mysql/fence/taken-names.ts";
import { recordTables } from "../../../mysql/target/create.ts";
import { refuseOthersTriggers } from "../../../mysql/target/insert-triggers.ts";
import { keylessTables } from "../../../mysql/target/keyless.ts";
import { readSkippedRelations } from "../../../postgres/catalogue/skipped-relations.ts";
import { type HeldLocks, letGo } from "../../../postgres/source/holding.ts";
import { isSequenceOf, leftInSource } from "../../../postgres/source/left-in-source.ts";
import { openSource, type PostgresSource } from "../../../postgres/source/source.ts";
import { copyBufferBytes } from "../../../rows/copy-to-load/copy-out.ts";
import { refuseUnknownDrops } from "../../../run/fence/drop-option.ts";
import { readFinished } from "../../../run/fence/finished-marks.ts";
import { map } from "../../../run/memory/iterators.ts";
import { workOff } from "../../../run/pool.ts";
import { refusePostgresMisfits } from "../../fits/postgres-values.ts";
import { looking } from "../../fits/values.ts";
import { setsOf } from "../columns/narrowing.ts";
import { prefixOf, type Scheme } from "../columns/scheme.ts";
import { readSrids } from "../columns/spatial-types.ts";
import { compareValues } from "../finish/checksums.ts";
import { setPresentCounter } from "../finish/finish-table.ts";
import { type Chosen, choose, readAsTables } from "../tables/choose-tables.ts";
import { constraintNames, relationNames, takenNames } from "../tables/claims.ts";
import { emptyPresent, usePresent } from "../tables/existing-tables.ts";
import { planForeignKeys } from "../tables/foreign-keys.ts";
import { byKey } from "../tables/key-parts.ts";
import { type Planner, planAll } from "../tables/plan-tables.ts";
import { readThings, type SourceThings } from "../tables/read-source.ts";
import { isKeyless } from "../tables/table-plan.ts";
import type { CopyWorker } from "./copy-part.ts";
import { makeWithFallback } from "./create-table.ts";
import { doubtfulTables } from "./doubtful-tables.ts";
import { keepFinished, type ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import type { FinishedTable } from "./state.ts";
import { dropNamed, markMade, readFacts, relationsToDrop, targetName, withoutRelations } from "./target.ts";

/** From the snapshot to the tables in the target, empty or kept from an earlier attempt. */

/** Shares of the schema's phase: when tables are planned, and when values were compared with their types. */
const sourceRead = 0.3;
const valuesCompared = 0.5;

export interface PreparedCopy extends Planner, Omit<SourceThings, "tables"> {
  workers: readonly CopyWorker[];
  source: PostgresSource;
  /** The locks on the source's tables. */
  held: HeldLocks;
  chosen: Chosen;
  scheme: Scheme;
  kept: ResumedTables;
  /** Whether an earlier attempt had finished any table. */
  resumed: boolean;
  /** Words for texts that the target's types write otherwise, in kept tables too. */
  written: string[];
  /** Rows alone: counters that were not set, in words. */
  uncounted: string[];
}

/** Errors: those of the snapshot, the options, `target_not_empty`; until something was made the fence is taken away with them. */
export async function prepare(run: CopyRun): Promise<PreparedCopy> {
  const { request, fence } = run;
  const made = [...(request.reset ? (request.made ?? []) : []), ...(await fence.made())];
  try {
    return await prepareBoth(run, made);
  } catch (error) {
    // What a person has to fix first leaves nothing behind, as long as nothing was made.
    const final = error instanceof EngineError && !error.retryable;
    if (final && (await fence.made().catch(() => made)).length === 0) await fence.drop().catch(() => undefined);
    throw error;
  }
}

async function prepareBoth(run: CopyRun, made: readonly MadeObject[]): Promise<PreparedCopy> {
  const { request, first } = run;
  const { options } = request;
  run.progress.stage(sourceRead, 3);
  const others = await Promise.all(Array.from({ length: options.jobs - 1 }, run.openReader));
  const foreign = await leftInSource(first);
  const { source, found, held } = await openSource(
    first,
    others,
    () =>
      readThings(first, options, {
        isTable: ({ oid }) => oid === foreign?.oid,
        isSequence: isSequenceOf(foreign),
      }),
    {
      left: () => readSkippedRelations(first, options),
      columnless: true,
      locks: options.source_locks,
      blockingTimeout: options.blocking_timeout,
      open: run.openReader,
      giveUp: run.fail,
      log: (message) => run.hooks.log("info", message),
    },
  );
  run.progress.did();
  const chosen = choose(found.tables, request, found.views);
  if (foreign !== undefined) chosen.entries.push(foreign.entry);
  await held.holdViews(readAsTables(chosen.tables));
  run.signal.addEventListener("abort", held.stop, { once: true });
  const workers: CopyWorker[] = await Promise.all(
    [first, ...others].map(async (reader) => ({
      source: reader,
      target: await run.openWriter(),
      buffer: Buffer.allocUnsafeSlow(copyBufferBytes),
    })),
  );
  const tables = await prepareTarget(run, { workers, source, chosen, made, ...found });
  const { objects, sequences, views } = found;
  for (const reader of [first, ...others]) await letGo(reader);
  return { ...tables, workers, source, held, chosen, objects, sequences, views };
}

interface Preparing extends Pick<PreparedCopy, "workers" | "source" | "chosen">, SourceThings {
  made: readonly MadeObject[];
}

type OfTarget = Pick<PreparedCopy, "states" | "replan" | "scheme" | "kept" | "resumed" | "written" | "uncounted">;

async function prepareTarget(
  run: CopyRun,
  { workers, source, chosen, tables, sequences, views, made }: Preparing,
): Promise<OfTarget> {
  const { request, hooks, fence, first } = run;
  const { options } = request;
  const { database } = request.target;
  const content = options.content ?? "all";
  const drop = options.drop ?? [];
  const log = (message: string) => hooks.log("info", message);
  const target = (workers[0] as CopyWorker).target;
  const wanted = chosen.tables.map((table) => `${prefixOf(table.schema, options.schemas)}${table.name}`);
  const ours = new Set(
    made.flatMap(({ kind, name: [of, name] }) => (kind === "table" && of === database ? [name ?? ""] : [])),
  );
  const facts = await readFacts(target, database, ours);
  await fence.claim(relationNames(wanted, views, options, facts.exact), made);
  const { relations } = await readFacts(target, database);
  refuseUnknownDrops(
    drop,
    [...relations.map(({ name }) => name), ...wanted].map((name) => ({ schema: database, name })),
  );
  const doomed = content === "data" ? [] : relationsToDrop(facts, wanted, drop);
  const srids = await readSrids(target, chosen.tables);
  const planning = { options, version: first.version, all: tables, heaps: source.tables };
  const planner = await planned(fence, { ...facts, content }, (claimed) => {
    const free = content === "data" ? { ...facts, relations: [] } : withoutRelations(facts, doomed);
    const constraints = [...free.constraints, ...claimed.map((name) => ({ table: "", name }))];
    return planAll(planning, { ...free, constraints, srids }, chosen.tables);
  });
  const { scheme, states } = planner;
  const uncounted: string[] = [];
  if (content !== "data") {
    const names = states.flatMap(({ plan }) => (isKeyless(plan) ? [plan.name] : []));
    await keylessTables(target, names, true);
  }
  run.progress.did();
  const finished =
    request.reset || content === "schema" ? new Map<string, FinishedTable>() : await readFinished<FinishedTable>(fence);
  const present =
    content === "data"
      ? await usePresent(
          target,
          { database, names: states.map(({ plan }) => plan.name) },
          { encoding: source.encoding, version: first.version },
        )
      : undefined;
  const replan: Planner["replan"] = (plan, observedTypes) => {
    const usual = planner.replan(plan, observedTypes);
    return present?.adapted(usual) ?? usual;
  };
  // A note tells of digits and spaces that were cut, where the column is not one that the copy made.
  if (present !== undefined) for (const worker of workers) await worker.target.run("SET SESSION sql_notes = 1");
  for (const state of states) {
    if (present === undefined) continue;
    state.adapt(present.adapted);
    state.rows = await byKey(first, state.plan, state.rows);
  }
  const kept = await keepFinished({
    session: target,
    fence,
    content,
    finished,
    drop,
    states,
    replan,
    compare: (plans) => compareValues(workers, database, plans, run),
    log,
  });
  const gone = made.filter(({ kind, name }) => !kept.object(kind, name));
  if (!request.reset) await refuseOthersWork(target, fence, database, gone, drop);
  await fence.clean(gone, kept.part);
  if (content !== "data")
    await refuseOthersTriggers(
      target,
      database,
      states.flatMap(({ plan, kept: is }) => (is === undefined ? [] : [plan.name])),
    );
  run.progress.did();
  const fresh = states.filter((state) => state.kept === undefined);
  const doubtful = content === "schema" ? [] : states;
  const characters = await charactersOf(target, setsOf(map(doubtful, ({ plan }) => plan)));
  const written = await refusePostgresMisfits(
    workers.map((worker) => worker.source),
    doubtfulTables(doubtful, characters, source.encoding),
    { ...looking(run.progress, valuesCompared), log },
  );
  if (present !== undefined) {
    const filled = await present.filled(
      map(fresh, ({ plan }) => plan),
      drop,
    );
    const plans = map(fresh, ({ plan }) => plan);
    await emptyPresent(target, fence, plans, filled, async (plan) => {
      const left = await setPresentCounter(target, fence, plan, sequences);
      if (left !== undefined) uncounted.push(left);
    });
  } else {
    // What the owner's record names, but is not the run's own any more, was left, and stands in the way.
    const keptNames = new Set(states.flatMap(({ plan, kept: is }) => (is === undefined ? [] : [plan.name])));
    const still = relationsToDrop(
      await readFacts(target, database, keptNames),
      fresh.map(({ plan }) => plan.name),
      drop,
    );
    await dropNamed(target, fence, database, still, log);
    await makeTables(run, workers, fresh, replan);
    log(`${counted(fresh.length, "table")} created`);
  }
  return { states, replan, scheme, kept, resumed: finished.size > 0, written, uncounted };
}

/** Plans, as often as another run takes a name meanwhile that was chosen here. */
const mostPlans = 3;

/** Plans with names that no other run has claimed, and claims them. `plan` gets the names of their constraints. */
async function planned(
  fence: MysqlFence,
  { exact, content }: { exact: boolean; content: NonNullable<CopyOptions["content"]> },
  plan: (claimed: string[]) => ReturnType<typeof planAll>,
): Promise<ReturnType<typeof planAll>> {
  for (let turn = 1; ; turn++) {
    const done = plan(takenNames(await fence.claimedByOthers(), (kind) => kind === constraintKind));
    const { scheme, plans } = done;
    // Their names are given here, and found again when the keys are made.
    planForeignKeys(scheme, plans);
    const tables = [...scheme.tables.values()].map((name) => mysqlClaim("table", name, exact));
    try {
      // Of tables that are there, nothing else is claimed.
      await fence.claim([...tables, ...(content === "data" ? [] : constraintNames(scheme))]);
      return done;
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "target_in_use" || turn === mostPlans) throw error;
    }
  }
}

async function makeTables(
  run: CopyRun,
  workers: readonly CopyWorker[],
  states: Planner["states"],
  replan: Planner["replan"],
): Promise<void> {
  const names = states.map(({ plan }) => targetName(plan));
  run.progress.stage(1, 2 * states.length);
  await recordTables((workers[0] as CopyWorker).target, run.fence, names);
  await workOff(
    workers,
    states.map((state) => ({
      async run({ target }: CopyWorker) {
        await makeWithFallback(target, run.fence, state, replan);
        run.progress.did();
      },
    })),
    run.fail,
  );
  const batches = Array.from({ length: Math.ceil(states.length / markedTogether) }, (_, at) =>
    states.slice(at * markedTogether, (at + 1) * markedTogether),
  );
  await workOff(
    workers,
    batches.map((some) => ({
      async run({ target }: CopyWorker) {
        const plans = some.map(({ plan }) => plan);
        await markMade(target, run.fence, plans);
        run.progress.did(some.length);
      },
    })),
    run.fail,
  );
}

/** Tables in a transaction that marks what they were made as. */
const markedTogether = 100;
