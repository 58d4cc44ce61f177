import { type CopyHooks, type CopyRequest, EngineError, type MadeObject } from "../contract.ts";
import { refuseUnknownDrops } from "../drop.ts";
import { readFinished } from "../finished-marks.ts";
import { refusePostgresMisfits } from "../fits/of-postgres.ts";
import { fullName } from "../full-name.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { refuseOthersTriggers } from "../mysql/insert-triggers.ts";
import { recordTables } from "../mysql/making.ts";
import type { Session as Writer } from "../mysql/session.ts";
import type { Session as Reader } from "../postgres/connection.ts";
import { type Held, letGo } from "../postgres/holding.ts";
import { printable } from "../postgres/names.ts";
import { openSource, type Source } from "../postgres/source.ts";
import { workOff } from "../postgres/work.ts";
import { leftInSource } from "../postgres-to-postgres/before.ts";
import { thingKey } from "../postgres-to-postgres/inventory.ts";
import type { ProgressAccount } from "../progress.ts";
import type { Throttle } from "../throttle.ts";
import { readTables } from "./catalogue.ts";
import { type Chosen, choose, readAsTables } from "./choose.ts";
import { copyBufferBytes } from "./copy-out.ts";
import type { Worker } from "./copying.ts";
import { setCounter } from "./finishing.ts";
import { makeMended } from "./mending.ts";
import { readObjects, type SourceObject } from "./objects.ts";
import { type Planner, planAll } from "./planning.ts";
import { emptyPresent, usePresent } from "./present.ts";
import { type Finished, type Kept, keepFinished } from "./resume.ts";
import { createScheme, prefixOf, type Scheme } from "./scheme.ts";
import { readSequences, type SourceSequence } from "./sequences.ts";
import { readSrids } from "./shapes.ts";
import { plansOf } from "./table-state.ts";
import { dropNamed, readFacts, relationsToDrop, without } from "./target.ts";
import { compareValues } from "./verification.ts";
import { readViews, type SourceView } from "./views.ts";

/** From the snapshot to the tables in the target, empty or kept from an earlier attempt. */

/** What one pass works with. */
export interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  throttle: Throttle;
  signal: AbortSignal;
  fence: MysqlFence;
  first: Reader;
  openReader(): Promise<Reader>;
  openWriter(): Promise<Writer>;
  fail(error: unknown): void;
}

export interface Prepared extends Pick<Planner, "states"> {
  workers: readonly Worker[];
  source: Pick<Source, "size" | "facts">;
  /** The locks on the source's tables. */
  held: Held;
  objects: readonly SourceObject[];
  sequences: readonly SourceSequence[];
  views: readonly SourceView[];
  chosen: Pick<Chosen, "entries" | "left">;
  scheme: Scheme;
  kept: Kept;
  /** Whether an earlier attempt had finished any table. */
  resumed: boolean;
}

/** Errors: those of the snapshot, the options, `target_not_empty`; until something was made the fence is taken away with them. */
export async function prepare(run: Run): Promise<Prepared> {
  const { request, fence } = run;
  const made = [...(request.reset ? (request.made ?? []) : []), ...(await fence.made())];
  try {
    return await prepareBoth(run, made);
  } catch (error) {
    // What a person has to mend first leaves nothing behind, as long as nothing was made.
    const final = error instanceof EngineError && !error.retryable;
    if (final && (await fence.made().catch(() => made)).length === 0) await fence.drop().catch(() => undefined);
    throw error;
  }
}

async function prepareBoth(run: Run, made: readonly MadeObject[]): Promise<Prepared> {
  const { planner, ...planned } = await planSource(run, made);
  const prepared = await prepareTarget(run, { planner, made, ...planned });
  for (const { source } of planned.workers) await letGo(source);
  return { ...planned, ...prepared };
}

type Planned = Omit<Prepared, "states" | "kept" | "resumed"> & { planner: Planner };

/** Opens the snapshot and plans every table. What was read of the tables is let go of with the end of this function: it is a third of a worker's heap. */
async function planSource(run: Run, made: readonly MadeObject[]): Promise<Planned> {
  const { request, first } = run;
  const { options } = request;
  const others = await Promise.all(Array.from({ length: options.jobs - 1 }, run.openReader));
  const foreign = await leftInSource(first);
  const isOwn = ({ schema, name }: { schema: string; name: string }) =>
    foreign?.parts.has(thingKey({ kind: "sequence", name: fullName(schema, name) })) === true;
  const { source, found, held } = await openSource(
    first,
    others,
    async () => ({
      tables: (await readTables(first)).filter(({ oid }) => oid !== foreign?.oid),
      objects: await readObjects(first),
      sequences: (await readSequences(first)).filter((sequence) => !isOwn(sequence)),
      views: await readViews(first),
    }),
    {
      locks: options.source_locks,
      blockingSeconds: options.blocking_timeout,
      open: run.openReader,
      giveUp: run.fail,
      log: (message) => run.hooks.log("info", message),
    },
  );
  const chosen = choose(found.tables, request, found.views);
  if (foreign !== undefined) chosen.entries.push(foreign.entry);
  await held.holdViews(readAsTables(chosen.tables));
  run.signal.addEventListener("abort", held.stop, { once: true });
  const workers: Worker[] = await Promise.all(
    [first, ...others].map(async (reader) => ({
      source: reader,
      target: await run.openWriter(),
      buffer: Buffer.allocUnsafeSlow(copyBufferBytes),
    })),
  );
  const { target } = workers[0] as Worker;
  const scheme = await readScheme(run, target, chosen, made);
  const planner = planAll({ options, version: first.version, source }, scheme, chosen.tables, found.tables);
  const { objects, sequences, views } = found;
  const { size, facts } = source;
  const { entries, left } = chosen;
  return {
    ...{ planner, scheme, workers, held, objects, sequences, views },
    source: { size, facts },
    chosen: { entries, left },
  };
}

/** The names of the target's tables. Errors: `target_not_empty`, those of `options.drop`. */
async function readScheme(
  { request }: Run,
  target: Writer,
  chosen: Chosen,
  made: readonly MadeObject[],
): Promise<Scheme> {
  const { options } = request;
  const { database } = request.target;
  const content = options.content ?? "all";
  const drop = options.drop ?? [];
  const wanted = chosen.tables.map((table) => `${prefixOf(table.schema, options.schemas)}${table.name}`);
  const ours = new Set(
    made.flatMap(({ kind, name: [of, name] }) => (kind === "table" && of === database ? [name ?? ""] : [])),
  );
  const facts = await readFacts(target, database, ours);
  const { relations } = await readFacts(target, database);
  refuseUnknownDrops(
    drop,
    [...relations.map(({ name }) => name), ...wanted].map((name) => ({ schema: database, name })),
  );
  const doomed = content === "data" ? [] : relationsToDrop(facts, wanted, drop);
  const srids = await readSrids(target, chosen.tables);
  return createScheme(
    { ...(content === "data" ? { ...facts, relations: [] } : without(facts, doomed)), srids },
    chosen.tables,
    options.schemas,
  );
}

interface Preparing extends Pick<Planned, "planner" | "workers" | "sequences"> {
  made: readonly MadeObject[];
}

async function prepareTarget(
  run: Run,
  { planner, workers, sequences, made }: Preparing,
): Promise<Pick<Prepared, "states" | "kept" | "resumed">> {
  const { request, hooks, fence } = run;
  const { options } = request;
  const { database } = request.target;
  const content = options.content ?? "all";
  const drop = options.drop ?? [];
  const log = (message: string) => hooks.log("info", printable(message));
  const { target } = workers[0] as Worker;
  const finished =
    request.reset || content === "schema" ? new Map<string, Finished>() : await readFinished<Finished>(fence);
  const { states, replan } = planner;
  const present =
    content === "data"
      ? await usePresent(
          target,
          database,
          states.map(({ name }) => name),
        )
      : undefined;
  // A note tells of digits and spaces that were cut, where the column is not one that the copy made.
  if (present !== undefined) for (const worker of workers) await worker.target.run("SET SESSION sql_notes = 1");
  if (present !== undefined) {
    planner.adapt(present.adapted);
    for (const state of states) state.doubts = state.plan.doubts;
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
  await fence.clean(
    made.filter(({ kind, name }) => !kept.object(kind, name)),
    kept.part,
  );
  if (content !== "data")
    await refuseOthersTriggers(
      target,
      database,
      states.flatMap(({ name, kept: is }) => (is === undefined ? [] : [name])),
    );
  const fresh = states.filter((state) => state.kept === undefined);
  if (content !== "schema")
    await refusePostgresMisfits(
      workers.map((worker) => worker.source),
      fresh.map(({ label, doubts, rows: { bytes, parts } }) => ({
        table: label,
        bytes,
        doubts,
        parts: parts.map(({ from }) => from),
      })),
      { touch: () => run.progress.touch(), log },
    );
  if (present !== undefined) {
    const names = fresh.map(({ name }) => name);
    const filled = await present.filled(names, drop);
    const byOid = new Map(sequences.map((sequence) => [sequence.oid, sequence]));
    await emptyPresent(target, fence, plansOf(fresh), filled, async (plan) => {
      await setCounter(target, plan, byOid);
    });
  } else {
    // What the owner's record names, but is not the run's own any more, was left, and stands in the way.
    const keptNames = new Set(states.flatMap(({ name, kept: is }) => (is === undefined ? [] : [name])));
    const still = relationsToDrop(
      await readFacts(target, database, keptNames),
      fresh.map(({ name }) => name),
      drop,
    );
    await dropNamed(target, fence, database, still, log);
    await makeTables(run, workers, fresh, replan);
    log(`${fresh.length} tables created`);
  }
  return { states, kept, resumed: finished.size > 0 };
}

async function makeTables(
  run: Run,
  workers: readonly Worker[],
  states: Planner["states"],
  replan: Planner["replan"],
): Promise<void> {
  const { database } = run.request.target;
  await recordTables(
    (workers[0] as Worker).target,
    run.fence,
    states.map(({ name }) => [database, name]),
  );
  await workOff(
    workers,
    states.map((state) => ({
      weight: 0,
      async run({ target }: Worker) {
        await makeMended(target, run.fence, state, replan);
        return [];
      },
    })),
    run.fail,
  );
}
