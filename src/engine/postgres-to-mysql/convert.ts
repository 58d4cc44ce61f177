import { refuseDifferences, verificationWords } from "../checksum/words.ts";
import {
  type Copied,
  type CopyHooks,
  type CopyReport,
  type CopyRequest,
  EngineError,
  type InventoryEntry,
} from "../contract.ts";
import { causeOf, type MysqlFence, openFence } from "../mysql/fence.ts";
import { qualified } from "../mysql/names.ts";
import type { Session as Writer } from "../mysql/session.ts";
import { connect, type Session as Reader } from "../postgres/connection.ts";
import { applicationName } from "../postgres/fence.ts";
import { printable, qualified as sourceQualified } from "../postgres/names.ts";
import { openSource, type Source } from "../postgres/source.ts";
import { workOff } from "../postgres/work.ts";
import { createProgress, type ProgressAccount } from "../progress.ts";
import { createSelection } from "../selection.ts";
import { createThrottle } from "../throttle.ts";
import { readSequences, readTables, type SourceTable, tableName } from "./catalogue.ts";
import { copyBufferBytes } from "./copy-out.ts";
import type { Worker } from "./copying.ts";
import { createExpressions } from "./expressions.ts";
import { addForeignKey, endTable, setCounter } from "./finishing.ts";
import { joinedTypes, joinKey, planForeignKeys } from "./foreign-keys.ts";
import { keyedColumns } from "./keys.ts";
import { lostWords } from "./lessons.ts";
import { readObjects, reportObject, type SourceObject } from "./objects.ts";
import { checkOverrides, overrideOf } from "./overrides.ts";
import { type Planning, planTable, type TablePlan } from "./plan.ts";
import { rowsOf } from "./relations.ts";
import { createScheme, prefixOf } from "./scheme.ts";
import { createTableState, type TableState, tableTasks } from "./tables.ts";
import { makePlanned, readFacts, tablesToDrop } from "./target.ts";
import { compareValues, refuseUnsupported } from "./verification.ts";

/**
 * PostgreSQL → MySQL or MariaDB. Reads one snapshot of the source by several sessions, turns COPY text into LOAD DATA text
 * as bytes, builds the rest of each table as soon as its rows are there, and counts both sides before it says done.
 */
export async function convertToMysql(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  refuseUnsupported(request.options);
  const startedAt = new Date().toISOString();
  const failed = new AbortController();
  const signal = AbortSignal.any([hooks.signal, failed.signal]);
  const progress = createProgress(hooks.progress);
  const sources: Reader[] = [];
  const targets: Writer[] = [];
  let fence: MysqlFence | undefined;
  let done = false;
  progress.phase("connecting");
  try {
    const openReader = async () => {
      const session = await connect(request.source, {
        role: "source",
        applicationName: applicationName(request.owner, 0),
        signal,
        statementSeconds: request.options.statement_timeout ?? 0,
      });
      sources.push(session);
      // Compiling would take longer than the catalogue's queries, whose cost is guessed far too high.
      await session.run("SET jit = off");
      return session;
    };
    const first = await openReader();
    const [measured] = await first.query<{ size: number }>(
      "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
    );
    hooks.measured(measured?.size ?? 0, "conversion");
    fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      statementTimeout: request.options.statement_timeout,
      warn: (message) => hooks.log("warning", message),
    });
    const opened = fence;
    const finish = async () => {
      await opened.drop();
      await opened.close();
    };
    const saved = request.reset ? undefined : await fence.savedResult();
    if (saved !== undefined) {
      hooks.log("info", "the copy was finished and verified by an earlier worker");
      done = true;
      return { report: saved, finish };
    }
    const made = [...(request.reset ? (request.made ?? []) : []), ...(await fence.made())];
    // Also the parts of an earlier attempt: a new snapshot begins from nothing.
    await fence.clean(made);
    const openWriter = async () => {
      const session = await opened.open();
      targets.push(session);
      signal.addEventListener("abort", () => session.destroy(), { once: true });
      return session;
    };
    const run: Run = {
      request,
      hooks,
      progress,
      signal,
      fence,
      first,
      openReader,
      openWriter,
      fail: (error) => failed.abort(error),
    };
    const result = await copy(run);
    const report: CopyReport = {
      type: "conversion",
      source: { engine: "PostgreSQL", version: `${Math.floor(first.version / 10_000)}.${first.version % 10_000}` },
      ...result,
      startedAt,
      finishedAt: new Date().toISOString(),
      made: await fence.made(),
    };
    await fence.saveResult(report);
    progress.phase("finished");
    done = true;
    return { report, finish };
  } catch (error) {
    failed.abort(error);
    hooks.signal.throwIfAborted();
    throw fence === undefined ? error : await causeOf(error, request.target, fence);
  } finally {
    if (!done) await fence?.close();
    await Promise.all([...sources, ...targets].map((session) => session.end()));
  }
}

interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  signal: AbortSignal;
  fence: MysqlFence;
  first: Reader;
  openReader(): Promise<Reader>;
  openWriter(): Promise<Writer>;
  fail(error: unknown): void;
}

/** Up to this size a table is made with all its indexes. */
const smallBytes = 4 * 1024 * 1024;

async function copy(
  run: Run,
): Promise<Pick<CopyReport, "target" | "tables" | "inventory" | "warnings" | "size" | "verification">> {
  const { request, hooks, progress, fence, first } = run;
  const { options } = request;
  const warnings: string[] = [];
  const warn = (words: string) => {
    if (warnings.includes(printable(words))) return;
    warnings.push(printable(words));
    hooks.log("warning", printable(words));
  };

  progress.phase("schema");
  const target = await run.openWriter();
  const others = await Promise.all(Array.from({ length: options.jobs - 1 }, run.openReader));
  const { source, found } = await openSource(
    first,
    others,
    async (opened) => ({ opened, tables: await readTables(first), objects: await readObjects(first) }),
    options.source_locks,
  );
  const chosen = choose(found.tables, request);
  await holdViews(chosen.tables, [first, ...others]);

  let facts = await readFacts(target, request.target.database);
  const wanted = chosen.tables.map((table) => `${prefixOf(table.schema, options.schemas)}${table.name}`);
  const doomed = tablesToDrop(facts, wanted, options.drop).filter((name) => name !== "_rowferry");
  for (const name of doomed) {
    await fence.guard(target);
    await target.run(`DROP TABLE ${qualified(facts.database, name)}`);
    hooks.log("info", `table ${printable(name)} of the target was dropped, as options.drop says`);
  }
  facts = { ...facts, relations: facts.relations.filter((name) => !doomed.includes(name)) };

  const scheme = createScheme(facts, chosen.tables, options.schemas);
  const { states, replan } = planAll(run, scheme, chosen.tables, found.tables, source);
  progress.plan(states.map(({ plan, rows }) => ({ name: tableName(plan.source), rows: rows.rows, bytes: rows.bytes })));
  for (const { plan } of states) await makePlanned(target, fence, plan);
  hooks.log("info", `${states.length} tables created`);

  progress.phase("copying");
  const throttle = createThrottle(options.bandwidth, { now: () => performance.now(), signal: run.signal });
  const workers: Worker[] = await Promise.all(
    [first, ...others].map(async (reader, at) => ({
      source: reader,
      target: at === 0 ? target : await run.openWriter(),
      buffer: Buffer.allocUnsafeSlow(copyBufferBytes),
    })),
  );
  const sequences = await readSequences(first);
  if (options.content !== "schema") {
    await workOff(
      workers,
      tableTasks(
        {
          fence,
          progress,
          throttle,
          replan,
          log: (message) => hooks.log("info", printable(message)),
          async done(state, worker) {
            const words = await setCounter(worker.target, state.plan, sequences);
            if (words !== undefined) warn(words);
          },
        },
        states,
      ),
      run.fail,
    );
  }
  const rows = states.reduce((sum, { counts }) => sum + counts.source, 0);
  hooks.log("info", `${rows} rows copied`);

  progress.phase("constraints");
  const keys = planForeignKeys(scheme, new Map(states.map(({ plan }) => [plan.source.oid, plan])));
  const entries: InventoryEntry[] = [...keys.inventory];
  for (const { name, note } of keys.inventory) warn(`foreign key ${name}: ${note}`);
  for (const key of keys.keys) entries.push(await addForeignKey(target, fence, key, warn));
  if (keys.keys.length > 0) hooks.log("info", `${keys.keys.length} foreign keys added`);

  progress.phase("verifying");
  for (const { plan } of states) await endTable(target, fence, plan);
  const verification =
    options.verify === "checksum"
      ? await compareValues(
          workers,
          facts.database,
          states.map(({ plan }) => plan),
          { signal: run.signal, throttle },
        )
      : undefined;
  if (verification !== undefined) {
    verificationWords(verification).forEach(warn);
    refuseDifferences(verification);
  }
  const data = dataEntries(states);
  for (const words of data) warn(words);
  const inventory = [
    ...states.flatMap(({ plan }) => plan.inventory),
    ...entries,
    ...chosen.entries,
    ...objectEntries(found.objects, chosen),
    ...sequenceEntries(sequences, states),
  ];
  for (const { kind, name, note } of inventory.filter(isLostKey)) warn(`${kind} ${name} is not carried over: ${note}`);
  const reported = inventory.filter(({ outcome }) => outcome === "reported").length;
  if (reported > 0) warn(`${reported} objects of the source are not carried over, or not whole; the report names each`);
  const { maria, versionText } = target.server;
  return {
    target: { engine: maria ? "MariaDB" : "MySQL", version: versionText },
    size: source.size,
    tables: states.map(({ plan, counts }) => ({
      source: tableName(plan.source),
      target: `${facts.database}.${plan.name}`,
      rows: counts,
    })),
    inventory: inventory.map((entry) => ({ ...entry, name: printable(entry.name) })),
    warnings,
    ...(verification === undefined ? {} : { verification }),
  };
}

const isLostKey = ({ kind, outcome, note = "" }: InventoryEntry) =>
  kind === "index" && outcome === "reported" && note.includes("does not refuse doubled values");

interface Chosen {
  /** What becomes a table. */
  tables: SourceTable[];
  left: ReadonlySet<number>;
  entries: InventoryEntry[];
}

/** Partitions go with their root; foreign tables and tables without columns are reported. */
function choose(all: readonly SourceTable[], { options }: CopyRequest): Chosen {
  const selection = createSelection(options);
  const roots = all.filter(({ kind, root }) => kind !== "f" && root === null);
  selection.refuseUnmatched(roots.map(({ schema, name }) => ({ schema, table: name })));
  const entries: InventoryEntry[] = [];
  const left = new Set<number>();
  const tables = roots.filter((table) => {
    if (!selection.has(table.schema, table.name)) {
      left.add(table.oid);
      entries.push({
        kind: "table",
        name: tableName(table),
        outcome: "not_applicable",
        note: "left out by the options include and exclude",
      });
      return false;
    }
    if (table.columns.length > 0 && table.columns.length <= mostColumns) return true;
    if (table.columns.length > mostColumns)
      throw new EngineError(
        "too_many_columns",
        `table ${printable(tableName(table))} has ${table.columns.length} columns, and MySQL's tables have at most ${mostColumns}: leave it out with options.exclude`,
      );
    entries.push({
      kind: "table",
      name: tableName(table),
      outcome: "reported",
      note: "it has no columns, and MySQL has no such tables; the number of its rows is all that it holds",
      definition: `CREATE TABLE ${sourceQualified(table.schema, table.name)} ()`,
    });
    return false;
  });
  for (const table of all) {
    if (table.root === null || table.kind === "f" || left.has(table.root)) continue;
    const own = table.checks.length + table.indexes.length;
    entries.push({
      kind: "table",
      name: tableName(table),
      outcome: "converted",
      note: `a partition: its rows are in the table of its root${own > 0 ? "; its own indexes and checks are those of the root" : ""}`,
    });
  }
  return { tables, left, entries };
}

/** InnoDB's. */
const mostColumns = 1017;

/** A materialised view cannot be locked by LOCK TABLE; reading it holds it. */
async function holdViews(tables: readonly SourceTable[], sessions: readonly Reader[]): Promise<void> {
  const views = tables.filter(({ kind, populated }) => kind === "m" && populated);
  for (const session of sessions)
    for (const { schema, name } of views) await session.run(`SELECT FROM ${sourceQualified(schema, name)} LIMIT 0`);
}

function planAll(
  { request: { options }, first }: Run,
  scheme: ReturnType<typeof createScheme>,
  tables: readonly SourceTable[],
  all: readonly SourceTable[],
  source: Source,
): { states: TableState[]; replan(state: TableState): TablePlan } {
  checkOverrides(options.types, tables);
  const expressions = createExpressions(
    { engine: "postgres", version: first.version },
    { engine: scheme.maria ? "mariadb" : "mysql", version: scheme.version },
  );
  const heaps = new Map(source.tables.map((heap) => [heap.oid, heap]));
  const joined = joinedTypes(tables);
  const users = new Map<number, number>();
  for (const { columns } of tables)
    for (const { sequence } of columns)
      if (sequence !== null) users.set(sequence.oid, (users.get(sequence.oid) ?? 0) + 1);
  const referenced = new Map<number, string[][]>();
  for (const { foreignKeys } of tables)
    for (const { referencedOid, referencedColumns } of foreignKeys)
      referenced.set(referencedOid, [...(referenced.get(referencedOid) ?? []), referencedColumns]);
  const planning = (table: SourceTable, lessons: TableState["lessons"], bytes: number): Planning => ({
    scheme,
    expressions,
    keyed: keyedColumns(table, referenced.get(table.oid) ?? [], scheme),
    lessons: lessons.columns,
    brokenChecks: lessons.brokenChecks,
    joined: (column) => joined.get(joinKey(table.oid, column)),
    override: (column) => overrideOf(options.types, table, column),
    related: table.foreignKeys.length > 0 || referenced.has(table.oid),
    users: (sequence) => users.get(sequence) ?? 0,
    small: bytes <= smallBytes,
  });
  const states = tables
    .map((table) => {
      const rows = rowsOf(table, all, heaps, options.jobs, first.version);
      const empty = { columns: new Map(), brokenChecks: new Set<string>() };
      return createTableState(planTable(table, planning(table, empty, rows.bytes)), rows);
    })
    .sort((a, b) => b.rows.bytes - a.rows.bytes);
  return {
    states,
    replan: (state) => planTable(state.plan.source, planning(state.plan.source, state.lessons, state.rows.bytes)),
  };
}

const dataEntries = (states: readonly TableState[]): string[] =>
  states.flatMap(({ plan, results }) =>
    plan.loaded.flatMap(({ source }, at) => {
      const lost = results.reduce((sum, { findings }) => sum + (findings[at]?.lost ?? 0), 0);
      const example = results.map(({ findings }) => findings[at]?.example ?? "").find((one) => one !== "") ?? "";
      return lost === 0 ? [] : [lostWords(plan.source, source.name, lost, example)];
    }),
  );

function objectEntries(objects: readonly SourceObject[], { left }: Chosen): InventoryEntry[] {
  return objects.map((object) => {
    const entry = reportObject(object);
    if (object.owner === null || !left.has(object.owner)) return entry;
    return {
      kind: entry.kind,
      name: entry.name,
      outcome: "not_applicable",
      note: "its table is left out by the options include and exclude",
    };
  });
}

function sequenceEntries(
  sequences: Awaited<ReturnType<typeof readSequences>>,
  states: readonly TableState[],
): InventoryEntry[] {
  const counters = new Map(
    states.flatMap(({ plan }) =>
      plan.counter === undefined ? [] : [[plan.counter.sequence.oid, `${plan.name}.${plan.counter.column}`]],
    ),
  );
  return sequences.map(({ oid, schema, name, definition, last, called }) => {
    const counter = counters.get(oid);
    return counter === undefined
      ? {
          kind: "sequence",
          name: `${schema}.${name}`,
          outcome: "reported",
          note: `not the counter of one column; its last value is ${last ?? "not to be read"}${called ? "" : ", not given out yet"}`,
          definition,
        }
      : { kind: "sequence", name: `${schema}.${name}`, outcome: "converted", note: `AUTO_INCREMENT of ${counter}` };
  });
}
