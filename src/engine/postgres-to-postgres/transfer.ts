import {
  type Copied,
  type CopyHooks,
  type CopyReport,
  type CopyRequest,
  EngineError,
  type InventoryEntry,
} from "../contract.ts";
import type { Fence } from "../fence.ts";
import { readAddresses } from "../postgres/address.ts";
import { connect, type Session } from "../postgres/connection.ts";
import { applicationName, causeOf, openFence } from "../postgres/fence.ts";
import { findAlike, findTable, partsOf } from "../postgres/fence-table.ts";
import { printable } from "../postgres/names.ts";
import { isSameDatabase } from "../postgres/same.ts";
import { openSource } from "../postgres/source.ts";
import { workOff } from "../postgres/work.ts";
import { createProgress, type ProgressAccount } from "../progress.ts";
import { applySteps, readTargetFacts, type Target } from "./apply.ts";
import { checkDumpVersion, type DumpOptions, dumpSchema, dumpVersion } from "./dump.ts";
import { needsAddress, stepsOf } from "./entries.ts";
import { codeWarnings } from "./foreign-code.ts";
import { foreignKeyTasks } from "./foreign-keys.ts";
import { planAfter } from "./indexes.ts";
import { readInventory, readLeftBehind, thingKey } from "./inventory.ts";
import { largeObjectTasks, readLargeObjects } from "./large-objects.ts";
import { createPool } from "./pass.ts";
import { copySequences } from "./sequences.ts";
import { tableName, tableTasks, type Worker } from "./tables.ts";
import { compareInventories, refuseCollisions } from "./verify.ts";

/**
 * PostgreSQL to PostgreSQL: the schema by pg_dump, made object by object under the fence; the rows passed from socket
 * to socket by several workers on one snapshot; indexes in parallel; then keys, the rest, counts and inventory.
 */
export async function transfer(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const failed = new AbortController();
  const signal = AbortSignal.any([hooks.signal, failed.signal]);
  const sessions: Session[] = [];
  const progress = createProgress(hooks.progress);
  const run: Run = {
    request,
    hooks,
    progress,
    signal,
    async open(role, name) {
      const session = await connect(request[role], { role, applicationName: name, signal });
      sessions.push(session);
      return session;
    },
    fail: (error) => failed.abort(error),
  };
  let fence: Fence<Session> | undefined;
  let done = false;
  try {
    progress.phase("connecting");
    const source = await run.open("source", applicationName(request.owner, 0));
    await checkServers(run, source);
    fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal: hooks.signal,
      warn: (message) => hooks.log("warning", message),
    });
    const report = (await earlier(run, fence)) ?? (await copyAll(run, source, fence));
    const opened = fence;
    progress.phase("finished");
    done = true;
    return {
      report,
      async finish() {
        await opened.drop();
        await opened.close();
      },
    };
  } catch (error) {
    failed.abort(error);
    hooks.signal.throwIfAborted();
    throw fence === undefined ? error : await causeOf(error, request, fence);
  } finally {
    if (!done) await fence?.close();
    await Promise.all(sessions.map((session) => session.end()));
  }
}

interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  /** Ends every session but the fence's: asked for by the caller, or since one of them failed. */
  signal: AbortSignal;
  open(role: "source" | "target", name: string): Promise<Session>;
  fail(error: unknown): void;
}

async function checkServers({ open, request, hooks }: Run, source: Session): Promise<void> {
  const target = await open("target", applicationName(request.owner, 0));
  const [found, same] = await Promise.all([dumpVersion(process.env), isSameDatabase(source, target)]);
  if (same) throw new EngineError("same_database", "source and target are the same database: name two different ones");
  for (const { version, place } of [source, target]) {
    if (version >= oldest) continue;
    throw new EngineError(
      "unsupported_version",
      `the ${place.role} is PostgreSQL ${versionText(version)}: 12 is the oldest that can be copied`,
    );
  }
  checkDumpVersion(found, source, target);
  await leftInSource(source);
  const [row] = await source.query<{ size: number }>(
    "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
  );
  hooks.measured(row?.size ?? 0, "transfer");
  await target.end();
}

/** The result of an earlier worker of this run, or undefined once what it left unfinished is cleaned up. */
async function earlier({ request, hooks }: Run, fence: Fence<Session>): Promise<CopyReport | undefined> {
  const saved = request.reset ? undefined : await fence.savedResult();
  if (saved !== undefined) {
    hooks.log("info", "The copy had been finished and verified before; its stored result is used");
    return saved;
  }
  const made = [...(request.reset ? (request.made ?? []) : []), ...(await fence.made())];
  if (made.length > 0) {
    hooks.log(
      "info",
      `Dropping ${made.length} objects that ${request.reset ? "this migration" : "an earlier attempt"} had made in the target`,
    );
    await fence.clean(made);
  }
  return undefined;
}

async function copyAll(run: Run, source: Session, fence: Fence<Session>): Promise<CopyReport> {
  const { request, hooks, progress, signal } = run;
  const startedAt = new Date().toISOString();
  const name = applicationName(request.owner, fence.epoch);
  const notes: InventoryEntry[] = [];
  const warnings = new Set<string>();
  const note = (entry: InventoryEntry) => notes.push(entry);
  const warn = (message: string) => {
    if (warnings.has(message)) return;
    warnings.add(message);
    hooks.log("warning", message);
  };

  const target = await run.open("target", name);
  const ownTable = await partsOf(target, await findTable(target));
  const foreign = await leftInSource(source);
  progress.phase("schema");
  const workers = await Promise.all(Array.from({ length: request.options.jobs }, () => openWorker(run, name)));
  const { source: opened, found } = await openSource(
    source,
    workers.map((worker) => worker.source),
    (opened) =>
      readSchema(source, {
        snapshot: opened.snapshot,
        applicationName: name,
        without: foreign?.table,
        parts: foreign?.parts ?? new Set(),
        env: process.env,
        signal,
      }),
  );
  const { things } = found;
  const steps = stepsOf(found.entries, found.addresses);
  const tables = opened.tables.filter(({ oid }) => oid !== foreign?.oid);
  const sequences = opened.sequences.filter(
    ({ schema, name }) => !foreign?.parts.has(thingKey({ kind: "sequence", name: `${schema}.${name}` })),
  );
  progress.plan(tables.map((table) => ({ name: tableName(table), rows: table.rows, bytes: table.bytes })));
  const after = await planAfter(
    source,
    steps.filter(({ stage }) => stage === "after"),
    new Set(tables.map(({ oid }) => oid)),
  );
  try {
    refuseCollisions(things, await readInventory(target, ownTable));
  } catch (error) {
    if (error instanceof EngineError && error.code === "target_not_empty") await fence.drop();
    throw error;
  }
  const [encoding] = await target.query<{ encoding: string }>(
    "SELECT pg_catalog.current_setting('server_encoding') AS encoding",
  );
  const facts = await readTargetFacts(target);
  for (const words of await codeWarnings(source, target)) warn(words);
  const schema: Target = { session: target, fence, facts, note, warn };
  hooks.log(
    "info",
    `Making ${things.length} objects, ${tables.length} tables among them; ${Math.round(opened.size / 1e6)} MB in the source`,
  );
  await applySteps(
    schema,
    steps.filter(({ stage }) => stage === "before"),
  );

  progress.phase("copying");
  const counted: CopyReport["tables"] = [];
  const work = tableTasks(
    {
      fence,
      progress,
      facts,
      options: {
        jobs: request.options.jobs,
        version: source.version,
        encodings: { source: opened.encoding, target: encoding?.encoding ?? "" },
      },
      indexes: after.indexes,
      warn,
      made: ({ kind, name }) => note({ kind, name: printable(name), outcome: "copied" }),
      counted: (table, rows) => counted.push({ source: tableName(table), target: tableName(table), rows }),
    },
    tables,
  );
  await workOff<Worker>(workers, work, run.fail);
  const large = await readLargeObjects(source);
  await workOff(workers, largeObjectTasks({ fence, facts, warn }, large), run.fail);
  await copySequences(source, target, fence, sequences);
  const rows = counted.reduce((sum, table) => sum + table.rows.source, 0);
  hooks.log(
    "info",
    `Copied ${rows} rows of ${tables.length} tables${large.length > 0 ? ` and ${large.length} large objects` : ""}`,
  );

  progress.phase("constraints");
  await applySteps(schema, after.rest);
  await workOff(workers, foreignKeyTasks({ fence, note, warn }, after.foreignKeys), run.fail);
  await applySteps(
    schema,
    steps.filter(({ stage }) => stage === "rights"),
  );
  await applySteps(
    schema,
    steps.filter(({ stage }) => stage === "last"),
  );

  progress.phase("verifying");
  for (const left of await readLeftBehind(source)) {
    note({ ...left, name: printable(left.name), outcome: "reported" });
    warn(`${left.kind} ${printable(left.name)}: ${left.note}`);
  }
  // Its transaction held the locks all the while: had it been lost, this would fail.
  const comparable = Math.floor(source.version / 10_000) === Math.floor(target.version / 10_000);
  const { inventory, differing } = compareInventories(things, await readInventory(target, ownTable), notes, comparable);
  if (differing.length > 0) warn(`written differently by the target: ${differing.slice(0, 10).join(", ")}`);
  const report: CopyReport = {
    type: "transfer",
    source: { engine: "postgres", version: versionText(source.version) },
    target: { engine: "postgres", version: versionText(target.version) },
    startedAt,
    finishedAt: new Date().toISOString(),
    size: opened.size,
    tables: counted.sort((a, b) => (a.source < b.source ? -1 : 1)),
    inventory,
    warnings: [...warnings],
    made: await fence.made(),
  };
  await fence.saveResult(report);
  hooks.log(
    "info",
    `Verified: ${rows} rows in ${tables.length} tables are equal in number, and ${inventory.length} objects are accounted for`,
  );
  return report;
}

/** What the snapshot holds, by pg_dump and by our own reading of the catalogues. */
async function readSchema(
  source: Session,
  options: Omit<DumpOptions, "without"> & { without: string | undefined; parts: ReadonlySet<string> },
) {
  const { without, parts } = options;
  const entries = dumpSchema(source, { ...options, without: without === undefined ? [] : [without] });
  const things = readInventory(source, parts);
  // Both to their end, so that neither goes on in a transaction that is rolled back.
  await Promise.allSettled([entries, things]);
  const addresses = await readAddresses(source, (await entries).filter(needsAddress));
  return { entries: await entries, things: await things, addresses };
}

/** A fence left in the source by a copy into it, which may still be running. Errors: `reserved_name` when the table is a user's. */
async function leftInSource(source: Session) {
  const alike = await findAlike(source);
  const other = alike.find((table) => !table.alike) ?? alike[1];
  if (other !== undefined)
    throw new EngineError(
      "reserved_name",
      `the source database has a table ${other.table} of its own: Rowferry keeps its checkpoint in the target under that name; rename the source's table and run again`,
    );
  const [found] = alike;
  return found === undefined ? undefined : { ...found, parts: await partsOf(source, found) };
}

async function openWorker({ open }: Run, name: string): Promise<Worker> {
  const [source, target] = await Promise.all([open("source", name), open("target", name)]);
  return { source, target, pool: createPool() };
}

/** server_version_num of the oldest PostgreSQL whose catalogues are read as they are written here. */
const oldest = 120_000;

/** 150018 → 15.18 */
const versionText = (version: number) => `${Math.floor(version / 10_000)}.${version % 10_000}`;
