import { refuseDifferences, verificationWords } from "../checksum/words.ts";
import { type CopyHooks, type CopyReport, type CopyRequest, EngineError, type InventoryEntry } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { Catalogue } from "../mysql/catalogue.ts";
import { readDefinitions } from "../mysql/objects.ts";
import type { Session as Reader } from "../mysql/session.ts";
import type { Snapshot } from "../mysql/snapshot.ts";
import { splitTable } from "../mysql/split.ts";
import type { Session as Writer } from "../postgres/connection.ts";
import { printable } from "../postgres/names.ts";
import type { ProgressAccount } from "../progress.ts";
import type { Throttle } from "../throttle.ts";
import { compareCounts, countSource, countTarget } from "./counts.ts";
import type { Field } from "./fields.ts";
import { addForeignKeys, all, type Finishing, finishTable } from "./finishing.ts";
import { planForeignKeys } from "./foreign-keys.ts";
import { doubtfulIndexes } from "./indexes.ts";
import { createLessons } from "./lessons.ts";
import { readTypes } from "./overrides.ts";
import { planTable, type TablePlan } from "./plan.ts";
import { proveBooleans } from "./proof.ts";
import { dataWarnings, lostKeys, othersReported, unseenReported } from "./report.ts";
import { candidates, digestOf, dropForeignKeys, type Finished, markOf, notOf, readFinished } from "./resume.ts";
import { createScheme } from "./scheme.ts";
import type { Sessions } from "./sessions.ts";
import { copyTables, createTableState, type TableState } from "./tables.ts";
import { makeTables, prepareTarget, readTarget, remakeTable, type Target } from "./target.ts";
import { type Comparing, compareValues } from "./verification.ts";

/** One pass: plans, makes, copies, finishes, adds the keys, verifies; or keeps what an earlier attempt has finished. */

/** What one pass over a source works with. */
export interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  snapshot: Snapshot;
  catalogue: Catalogue;
  fence: Fence<Writer>;
  open(): Promise<Writer>;
  sessions: Sessions<Writer>;
  stop: AbortController;
  excluded: InventoryEntry[];
  throttle: Throttle;
  zero: Field["zero"];
  schema: string;
  signal: AbortSignal;
}

export interface Done extends Pick<CopyReport, "tables" | "inventory" | "warnings" | "verification" | "resumed"> {
  target: Pick<Target, "version" | "versionText">;
}

export const firstReader = ({ readers }: Snapshot): Reader => {
  const [reader] = readers;
  if (reader === undefined) throw new EngineError("database_error", "no session on the source was opened");
  return reader;
};

export async function copyAll(run: Run): Promise<Done> {
  const { request, hooks, progress, snapshot, catalogue, fence, open, sessions, stop, zero, schema } = run;
  const { options } = request;
  const { database } = request.source;
  const { maria } = firstReader(snapshot).server;
  const warnings: string[] = [];
  const warn = (words: string) => {
    if (warnings.includes(printable(words))) return;
    warnings.push(printable(words));
    hooks.log("warning", printable(words));
  };
  snapshot.warnings.forEach(warn);
  for (const { note } of catalogue.unseen) warn(`${database}: ${note}`);

  progress.phase("schema");
  const rowless = options.content === "schema";
  const lessons = createLessons(catalogue.tables, options.zero_dates ?? "null", (message) =>
    hooks.log("info", printable(message)),
  );
  const earlier = request.reset ? (request.made ?? []) : [];
  const made = [...earlier, ...(await fence.made())];
  const finished = request.reset || rowless ? new Map<string, Finished>() : await readFinished(fence);
  for (const [table, { lessons: learnt }] of finished) lessons.restore(table, learnt);
  const { target, scheme } = await sessions
    .use(async (session) => {
      const ours = made.flatMap(({ name: [within, name] }) => (within === schema && name !== undefined ? [name] : []));
      const { taken, ...server } = await readTarget(
        session,
        schema,
        ours,
        catalogue.tables.map(({ name }) => name),
      );
      const forced = await readTypes(session, database, catalogue.tables, options.types);
      return {
        target: server,
        scheme: createScheme(database, maria, catalogue.tables, taken, {
          schema,
          zero,
          forced,
          rowless,
          sourceVersion: firstReader(snapshot).server.version,
          targetVersion: session.version,
        }),
      };
    })
    .catch(async (error: unknown) => {
      if (made.length === 0) await fence.drop();
      throw error;
    });
  const sources = new Map(catalogue.tables.map((table) => [table.name, table]));
  const plan = (name: string) => {
    const source = sources.get(name);
    if (source === undefined) throw new EngineError("database_error", `table ${name} is not in the catalogue`);
    return planTable(scheme, source, lessons.of(name));
  };
  // Planned by name, so that a later attempt gives the same names; copied largest first, so that no long one is left for the end.
  const plans = catalogue.tables.map(({ name }) => plan(name)).sort((a, b) => b.source.dataBytes - a.source.dataBytes);
  const order = plans.map(({ source }) => source);
  lostKeys(plans).forEach(warn);
  for (const doubt of doubtfulIndexes(plans)) hooks.log("warning", printable(doubt));
  const comparing = { scheme, readers: snapshot.readers, open, throttle: run.throttle, signal: run.signal, options };
  const kept = await keepFinished(run, comparing, candidates(plans, finished, lessons.groups));
  const keptNames = new Set(kept.map(({ source }) => source.name));
  await sessions.use(async (session) => {
    if (kept.length > 0) await dropForeignKeys(session, fence, schema, kept);
    await prepareTarget(session, fence, notOf(kept, made, schema), {
      schema,
      names: plans.flatMap(({ source, name }) => (keptNames.has(source.name) ? [] : [name])),
      drop: options.drop,
      keep: (part) => [...keptNames].some((name) => part === markOf(finished.get(name) as Finished)),
      log: (message) => hooks.log("info", printable(message)),
    });
    const fresh = plans.filter(({ source }) => !keptNames.has(source.name));
    await makeTables(session, fence, fresh);
    hooks.log("info", `${fresh.length} tables created`);
  });
  const copiedAgain = [...finished.keys()].filter((name) => sources.has(name) && !keptNames.has(name));
  for (const name of keptNames)
    hooks.log(
      "info",
      printable(`table ${name} was finished by an earlier attempt and is equal to the source: it is kept`),
    );
  for (const name of copiedAgain)
    hooks.log(
      "info",
      printable(
        `table ${name} was finished by an earlier attempt, but differs from the source by now: it is copied again`,
      ),
    );

  progress.plan(order.map(({ name, rows, dataBytes, indexBytes }) => ({ name, rows, bytes: dataBytes + indexBytes })));
  const states = await planStates(run, plans, keptNames, lessons.groups);
  const stateOf = new Map(states.map((state) => [state.plan.source.name, state]));
  const finishing: Finishing = { scheme, sessions, fence, inventory: [], warn };
  const failing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      stop.abort(error);
      throw error;
    });

  progress.phase("copying");
  const finishes: Promise<void>[] = [];
  const finishOne = async (state: TableState) => {
    const { name } = state.plan.source;
    progress.settle(name, state.rows);
    progress.state(name, "indexing");
    await proveBooleans(finishing, state, lessons, () => plan(name));
    const mark = markOf({
      table: name,
      digest: digestOf(state.plan),
      lessons: Object.fromEntries(lessons.of(name)),
      warnings: dataWarnings([state], options.zero_dates),
    });
    await finishTable(finishing, state.plan, rowless ? undefined : { mark, rows: state.rows });
    progress.state(name, "done");
  };
  for (const name of keptNames) progress.state(name, "done");
  const counts = await failing(
    copyTables({
      states: states.filter((state) => !keptNames.has(state.plan.source.name)),
      snapshot,
      open,
      fence,
      progress,
      throttle: run.throttle,
      rowless,
      teach: (used, findings) =>
        [...lessons.learn(used, findings)].flatMap((name) => {
          const other = stateOf.get(name);
          return other === undefined ? [] : [{ state: other, plan: plan(name) }];
        }),
      remake: (writer, before, after) => remakeTable(writer, fence, before, after),
      copied(state) {
        const work = failing(finishOne(state));
        // Awaited below; until then a failure must not count as unheard.
        work.catch(() => undefined);
        finishes.push(work);
      },
    }).then(() =>
      rowless
        ? new Map(order.map(({ name }) => [name, 0]))
        : countSource(
            snapshot.readers,
            database,
            order.map(({ name }) => name),
          ),
    ),
  ).catch(async (error: unknown) => {
    // What still runs ends by the same signal; nothing may outlive the answer.
    await Promise.allSettled(finishes);
    throw error;
  });
  const checksum = options.verify === "checksum" && !rowless;
  // The values are compared with the snapshot's, which lasts until then.
  if (!checksum) await snapshot.unlock();
  for (const [name, rows] of counts) if (keptNames.has(name)) progress.settle(name, rows);
  hooks.log("info", `${sum(counts.values())} rows copied`);
  await all(finishes);

  progress.phase("constraints");
  const keys = planForeignKeys(scheme, new Map(states.map(({ plan }) => [plan.source.name, plan])));
  for (const { kind, name, note } of keys.inventory) warn(`${kind} ${name}: ${note}`);
  await failing(addForeignKeys(finishing, keys.keys));
  if (keys.keys.length > 0) hooks.log("info", `${keys.keys.length} foreign keys added`);

  progress.phase("verifying");
  const targetCounts = await failing(
    countTarget(
      sessions,
      scheme.schema,
      states.map((state) => state.plan),
    ),
  );
  compareCounts(counts, targetCounts);
  hooks.log("info", "row counts of source and target are equal");
  const verification = checksum
    ? await failing(
        compareValues(
          comparing,
          states.map(({ plan }) => plan),
        ),
      )
    : undefined;
  if (verification !== undefined) {
    verificationWords(verification).forEach(warn);
    refuseDifferences(verification);
    hooks.log("info", `the values of ${verification.rows} rows are equal in source and target`);
    await snapshot.unlock();
  }
  dataWarnings(states, options.zero_dates).forEach(warn);
  for (const name of keptNames) finished.get(name)?.warnings.forEach(warn);
  // Again: a plan that the data changed may have lost one more.
  lostKeys(states.map((state) => state.plan)).forEach(warn);
  // The sessions are free: their rows are read.
  await readDefinitions(snapshot.readers, database, catalogue.others);
  const others = othersReported(catalogue.others);
  if (others.length > 0) warn(`${others.length} objects of the source are not carried over; the report names each`);
  return {
    target,
    tables: catalogue.tables.map(({ name }) => ({
      source: `${database}.${name}`,
      target: `${scheme.schema}.${scheme.tables.get(name) ?? name}`,
      rows: { source: counts.get(name) ?? 0, target: targetCounts.get(name) ?? 0 },
    })),
    inventory: [
      ...finalInventory(states, finishing),
      ...finishing.inventory,
      ...keys.inventory,
      ...others,
      ...run.excluded,
      ...unseenReported(catalogue.unseen),
    ],
    warnings,
    ...(verification === undefined ? {} : { verification }),
    ...(finished.size === 0 ? {} : { resumed: { kept: [...keptNames], copiedAgain } }),
  };
}

/** Of tables that an earlier attempt finished, those that are proven equal to the snapshot. */
async function keepFinished(
  { hooks }: Run,
  comparing: Comparing,
  plans: readonly TablePlan[],
): Promise<readonly TablePlan[]> {
  if (plans.length === 0) return [];
  hooks.log("info", `${plans.length} tables that an earlier attempt finished are compared with the source`);
  try {
    const { differences, uncompared } = await compareValues(comparing, plans);
    const { database } = comparing.scheme;
    const different = new Set(differences.map(({ source }) => source));
    return plans.filter(({ source: { name } }) => {
      const words = printable(`${database}.${name}`);
      return !different.has(words) && !uncompared.some((column) => column.startsWith(`${words}.`));
    });
  } catch (error) {
    hooks.signal.throwIfAborted();
    // A table is gone or another by now: what is not proven is copied again.
    if (error instanceof EngineError && !error.retryable) return [];
    throw error;
  }
}

/** Entries that finishing changed are marked there by kind and name. */
const finalInventory = (states: readonly TableState[], { inventory }: Finishing) => {
  const changed = new Set(inventory.map(({ kind, name }) => `${kind}\0${name}`));
  return states.flatMap(({ plan }) => plan.inventory).filter(({ kind, name }) => !changed.has(`${kind}\0${name}`));
};

async function planStates(
  { request, snapshot }: Run,
  plans: readonly TablePlan[],
  kept: ReadonlySet<string>,
  groups: readonly string[][],
): Promise<TableState[]> {
  const reader = firstReader(snapshot);
  const states: TableState[] = [];
  for (const plan of plans) {
    const parts = kept.has(plan.source.name) ? [] : await splitTable(reader, request.source.database, plan.source);
    states.push(createTableState(plan, parts));
  }
  for (const group of groups) {
    const members = states.filter(({ plan }) => group.includes(plan.source.name));
    for (const member of members) member.group = members;
  }
  return states;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);
