import {
  type Copied,
  type CopyHooks,
  type CopyReport,
  type CopyRequest,
  EngineError,
  type InventoryEntry,
} from "../contract.ts";
import type { Fence } from "../fence.ts";
import { type Catalogue, readCatalogue } from "../mysql/catalogue.ts";
import { readDefinitions } from "../mysql/objects.ts";
import type { Session as Reader } from "../mysql/session.ts";
import { openSnapshot, type Snapshot } from "../mysql/snapshot.ts";
import { splitTable } from "../mysql/split.ts";
import { connect, type Session as Writer } from "../postgres/connection.ts";
import { applicationName, causeOf, openFence } from "../postgres/fence.ts";
import { printable } from "../postgres/names.ts";
import { createProgress, type ProgressAccount } from "../progress.ts";
import { createSelection } from "../selection.ts";
import { createThrottle, type Throttle } from "../throttle.ts";
import { compareCounts, countSource, countTarget } from "./counts.ts";
import type { Field } from "./fields.ts";
import { addForeignKeys, all, type Finishing, finishTable } from "./finishing.ts";
import { planForeignKeys } from "./foreign-keys.ts";
import { doubtfulIndexes } from "./indexes.ts";
import { createLessons } from "./lessons.ts";
import { selected, targetSchema, zeroDates } from "./options.ts";
import { readTypes } from "./overrides.ts";
import { planTable } from "./plan.ts";
import { proveBooleans } from "./proof.ts";
import { dataWarnings, lostKeys, othersReported, unseenReported } from "./report.ts";
import { createScheme } from "./scheme.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { copyTables, createTableState, type TableState } from "./tables.ts";
import { makeTables, prepareTarget, remakeTable, type Target } from "./target.ts";

/**
 * MySQL or MariaDB → PostgreSQL. Reads one state of the source by several sessions, turns row packets into COPY text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export async function convert(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const startedAt = new Date().toISOString();
  // The first failure is the reason by which everything else ends, in order; the caller hears of that one.
  const stop = new AbortController();
  const signal = AbortSignal.any([hooks.signal, stop.signal]);
  const progress = createProgress(hooks.progress);
  progress.phase("connecting");
  const { options } = request;
  const { database } = request.source;
  const selection = createSelection(options);
  const zero = zeroDates(options);
  const schema = targetSchema(options, database);
  const snapshot = await openSnapshot(request.source, options.jobs, "rowferry", signal, (error) => stop.abort(error), {
    locks: options.source_locks,
    statementTimeout: options.statement_timeout,
    has: (table) => selection.has(database, table),
  });
  try {
    const reader = firstReader(snapshot);
    const whole = await readCatalogue(reader, database);
    const { catalogue, excluded } = selected(whole, database, selection);
    const size = catalogue.tables.reduce((sum, table) => sum + table.dataBytes + table.indexBytes, 0);
    hooks.measured(size, "conversion");
    const fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      warn: (message) => hooks.log("warning", message),
    });
    const finish = async () => {
      await fence.drop();
      await fence.close();
    };
    try {
      const saved = request.reset ? undefined : await fence.savedResult();
      if (saved !== undefined) {
        hooks.log("info", "the copy was finished and verified by an earlier worker");
        return { report: saved, finish };
      }
      const open = async () => {
        const session = await connect(request.target, {
          role: "target",
          applicationName: applicationName(request.owner, fence.epoch),
          signal,
        });
        const limit = Math.ceil((options.statement_timeout ?? 0) * 1000);
        if (limit > 0) await session.run(`SET statement_timeout = ${limit}`);
        return session;
      };
      const sessions = createSessions(open, request.options.jobs);
      try {
        const throttle = createThrottle(options.bandwidth, { now: () => performance.now(), signal });
        const run: Run = {
          request,
          hooks,
          progress,
          snapshot,
          catalogue,
          excluded,
          fence,
          open,
          sessions,
          stop,
          throttle,
          zero,
          schema,
        };
        const done = await copy(run);
        const { maria, versionText } = reader.server;
        const report: CopyReport = {
          type: "conversion",
          source: { engine: maria ? "MariaDB" : "MySQL", version: versionText },
          target: { engine: "PostgreSQL", version: done.target.versionText },
          startedAt,
          finishedAt: new Date().toISOString(),
          size,
          tables: done.tables,
          inventory: done.inventory,
          warnings: done.warnings,
          made: await fence.made(),
        };
        await fence.saveResult(report);
        progress.phase("finished");
        return { report, finish };
      } catch (error) {
        hooks.signal.throwIfAborted();
        throw await causeOf(error, request, fence);
      } finally {
        await sessions.close();
      }
    } finally {
      await fence.close();
    }
  } finally {
    await snapshot.close();
  }
}

interface Run {
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
}

interface Done extends Pick<CopyReport, "tables" | "inventory" | "warnings"> {
  target: Target;
}

const firstReader = ({ readers }: Snapshot): Reader => {
  const [reader] = readers;
  if (reader === undefined) throw new EngineError("database_error", "no session on the source was opened");
  return reader;
};

async function copy(run: Run): Promise<Done> {
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
  const target = await sessions.use((session) =>
    prepareTarget(session, fence, request.reset ? (request.made ?? []) : [], {
      schema,
      names: catalogue.tables.map(({ name }) => name),
      drop: options.drop,
      log: (message) => hooks.log("info", printable(message)),
    }),
  );
  const forced = await sessions.use((session) => readTypes(session, database, catalogue.tables, options.types));
  const rowless = options.content === "schema";
  const scheme = createScheme(database, maria, catalogue.tables, target.taken, { schema, zero, forced, rowless });
  const lessons = createLessons(catalogue.tables, options.zero_dates ?? "null", (message) =>
    hooks.log("info", printable(message)),
  );
  const sources = new Map(catalogue.tables.map((table) => [table.name, table]));
  const plan = (name: string) => {
    const source = sources.get(name);
    if (source === undefined) throw new EngineError("database_error", `table ${name} is not in the catalogue`);
    return planTable(scheme, source, lessons.of(name));
  };
  // Largest first, so that no long one is left for the end.
  const order = [...catalogue.tables].sort((a, b) => b.dataBytes - a.dataBytes);
  const plans = order.map(({ name }) => plan(name));
  lostKeys(plans).forEach(warn);
  for (const doubt of doubtfulIndexes(plans)) hooks.log("warning", printable(doubt));
  await sessions.use((session) => makeTables(session, fence, plans));
  hooks.log("info", `${plans.length} tables created`);

  progress.plan(order.map(({ name, rows, dataBytes, indexBytes }) => ({ name, rows, bytes: dataBytes + indexBytes })));
  const states = await planStates(run, plans, lessons.groups);
  const stateOf = new Map(states.map((state) => [state.plan.source.name, state]));
  const finishing: Finishing = { scheme, sessions, fence, inventory: [], warn };
  const failing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      stop.abort(error);
      throw error;
    });

  progress.phase("copying");
  const finished: Promise<void>[] = [];
  const finishOne = async (state: TableState) => {
    const { name } = state.plan.source;
    progress.settle(name, state.rows);
    progress.state(name, "indexing");
    await proveBooleans(finishing, state, lessons, () => plan(name));
    await finishTable(finishing, state.plan);
    progress.state(name, "done");
  };
  const counts = await failing(
    copyTables({
      states,
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
        finished.push(work);
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
    await Promise.allSettled(finished);
    throw error;
  });
  await snapshot.unlock();
  hooks.log("info", `${sum(counts.values())} rows copied`);
  await all(finished);

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
  dataWarnings(states, options.zero_dates).forEach(warn);
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
  };
}

/** Entries that finishing changed are marked there by kind and name. */
const finalInventory = (states: readonly TableState[], { inventory }: Finishing) => {
  const changed = new Set(inventory.map(({ kind, name }) => `${kind}\0${name}`));
  return states.flatMap(({ plan }) => plan.inventory).filter(({ kind, name }) => !changed.has(`${kind}\0${name}`));
};

async function planStates(
  { request, snapshot }: Run,
  plans: Parameters<typeof createTableState>[0][],
  groups: readonly string[][],
): Promise<TableState[]> {
  const reader = firstReader(snapshot);
  const states: TableState[] = [];
  for (const plan of plans)
    states.push(createTableState(plan, await splitTable(reader, request.source.database, plan.source)));
  for (const group of groups) {
    const members = states.filter(({ plan }) => group.includes(plan.source.name));
    for (const member of members) member.group = members;
  }
  return states;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);
