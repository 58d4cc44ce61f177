import type { CopyHooks, CopyReport, CopyRequest, InventoryEntry } from "../contract.ts";
import { EngineError } from "../contract.ts";
import type { Fence } from "../fence.ts";
import { readAddresses } from "../postgres/address.ts";
import type { Session } from "../postgres/connection.ts";
import { applicationName } from "../postgres/fence.ts";
import { findTable, partsOf } from "../postgres/fence-table.ts";
import { printable } from "../postgres/names.ts";
import { openSource, type Source } from "../postgres/source.ts";
import { workOff } from "../postgres/work.ts";
import type { ProgressAccount } from "../progress.ts";
import { createThrottle } from "../throttle.ts";
import { applySteps, readTargetFacts, type Target } from "./apply.ts";
import { leftInSource, versionText } from "./before.ts";
import { type DumpOptions, dumpSchema } from "./dump.ts";
import { needsAddress, type Step, stepsOf } from "./entries.ts";
import { checkFilled, prepareFilling, quietly } from "./fill-only.ts";
import { codeWarnings } from "./foreign-code.ts";
import { foreignKeyTasks } from "./foreign-keys.ts";
import { planAfter } from "./indexes.ts";
import { readInventory, readLeftBehind, type Thing, thingKey } from "./inventory.ts";
import { largeObjectTasks, readLargeObjects } from "./large-objects.ts";
import { leaveOut, readSelectable, unselected } from "./leave-out.ts";
import { makeRoom } from "./make-room.ts";
import { createPool } from "./pass.ts";
import { copySequences } from "./sequences.ts";
import { tableName, tableTasks, type Worker } from "./tables.ts";
import { compareInventories } from "./verify.ts";

/** One attempt at a whole copy, behind an open fence: schema, rows, indexes, keys, the rest, counts and inventory. */

export interface Run {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  /** Ends every session but the fence's: asked for by the caller, or since one of them failed. */
  signal: AbortSignal;
  open(role: "source" | "target", name: string): Promise<Session>;
  fail(error: unknown): void;
}

interface Notes {
  notes: InventoryEntry[];
  warnings: Set<string>;
  note(entry: InventoryEntry): void;
  warn(message: string): void;
}

/** Answers the verified report, stored in the fence. */
export async function copyAll(run: Run, source: Session, fence: Fence<Session>): Promise<CopyReport> {
  const { request, hooks, progress } = run;
  const { options } = request;
  const content = options.content ?? "all";
  const startedAt = new Date().toISOString();
  const name = applicationName(request.owner, fence.epoch);
  const said = createNotes(hooks);
  const { note, warn } = said;

  const target = await run.open("target", name);
  const ownTable = await partsOf(target, await findTable(target));
  progress.phase("schema");
  const workers = await Promise.all(Array.from({ length: options.jobs }, () => openWorker(run, name)));
  const plan = await readPlan(run, { source, workers, name });
  plan.notes.forEach(note);
  if (options.source_locks === "none")
    warn("the source's tables were not locked (source_locks: none): one that was truncated meanwhile is copied empty");
  const { things, steps, opened } = plan;
  const facts = await readTargetFacts(target);
  const schema: Target = { session: target, fence, facts, note, warn };
  const log = (message: string) => hooks.log("info", message);
  let { tables } = plan;
  try {
    if (content === "data") tables = await prepareFilling(target, tables, { fence, drop: options.drop, log });
    else {
      const missing = new Set(plan.notes.map(thingKey));
      const wanted = things.filter(({ kind, name }) => !missing.has(thingKey({ kind, name: printable(name) })));
      await makeRoom(target, wanted, { fence, drop: options.drop, own: ownTable, log });
    }
  } catch (error) {
    if (error instanceof EngineError && ["target_not_empty", "schema_differs"].includes(error.code)) {
      if ((await fence.made()).length + (await fence.parts()).length === 0) await fence.drop();
    }
    throw error;
  }
  progress.plan(tables.map((table) => ({ name: tableName(table), rows: table.rows, bytes: table.bytes })));
  const made = content === "data" ? [] : steps;
  const stage = (which: Step["stage"]) => made.filter((step) => step.stage === which);
  const after = await planAfter(source, stage("after"), new Set(tables.map(({ oid }) => oid)));
  if (content !== "data") {
    for (const words of await codeWarnings(source, target)) warn(words);
    log(
      `Making ${things.length} objects, ${tables.length} tables among them; ${Math.round(opened.size / 1e6)} MB in the source`,
    );
    await applySteps(schema, stage("before"));
  } else for (const worker of workers) await quietly(worker.target, tables);

  progress.phase("copying");
  const counted: CopyReport["tables"] = [];
  const work = tableTasks(
    {
      fence,
      progress,
      facts,
      options: {
        jobs: options.jobs,
        version: source.version,
        encodings: { source: opened.encoding, target: facts.encoding },
      },
      withRows: content !== "schema",
      throttle: createThrottle(options.bandwidth, { now: () => performance.now(), signal: run.signal }),
      indexes: after.indexes,
      warn,
      made: ({ kind, name }) => note({ kind, name: printable(name), outcome: "copied" }),
      counted: (table, rows) => counted.push({ source: tableName(table), target: tableName(table), rows }),
    },
    tables,
  );
  await workOff<Worker>(workers, work, run.fail);
  const rows = counted.reduce((sum, table) => sum + table.rows.source, 0);
  if (content === "all") {
    const large = await readLargeObjects(source);
    await workOff(workers, largeObjectTasks({ fence, facts, warn }, large), run.fail);
    if (large.length > 0) log(`Copied ${large.length} large objects`);
  }
  if (content !== "schema") {
    await copySequences(source, target, fence, plan.sequences, content === "data" ? warn : undefined);
    log(`Copied ${rows} rows of ${tables.length} tables`);
  }

  progress.phase("constraints");
  await applySteps(schema, after.rest);
  await workOff(workers, foreignKeyTasks({ fence, note, warn }, after.foreignKeys), run.fail);
  await applySteps(schema, stage("rights"));
  const last = stage("last").filter(({ entry }) => content === "all" || entry.kind !== "MATERIALIZED VIEW DATA");
  await applySteps(schema, last);
  if (content === "data") await checkFilled(target, tables);

  progress.phase("verifying");
  const inventory = await account(source, target, { things, ownTable, said, content });
  const report: CopyReport = {
    type: "transfer",
    source: { engine: "postgres", version: versionText(source.version) },
    target: { engine: "postgres", version: versionText(target.version) },
    startedAt,
    finishedAt: new Date().toISOString(),
    size: opened.size,
    tables: counted.sort((a, b) => (a.source < b.source ? -1 : 1)),
    inventory,
    warnings: [...said.warnings],
    made: await fence.made(),
  };
  await fence.saveResult(report);
  hooks.log(
    "info",
    content === "schema"
      ? `Verified: ${inventory.length} objects are accounted for; no rows were asked for`
      : `Verified: ${rows} rows in ${tables.length} tables are equal in number, and ${inventory.length} objects are accounted for`,
  );
  return report;
}

function createNotes(hooks: CopyHooks): Notes {
  const notes: InventoryEntry[] = [];
  const warnings = new Set<string>();
  return {
    notes,
    warnings,
    note: (entry) => notes.push(entry),
    warn(message) {
      if (warnings.has(message)) return;
      warnings.add(message);
      hooks.log("warning", message);
    },
  };
}

/** What is to be copied, as the snapshot and the options have it. */
interface Plan {
  opened: Source;
  steps: Step[];
  things: Thing[];
  tables: Source["tables"];
  sequences: Source["sequences"];
  /** What the options leave out. */
  notes: InventoryEntry[];
}

async function readPlan(
  run: Run,
  { source, workers, name }: { source: Session; workers: readonly Worker[]; name: string },
): Promise<Plan> {
  const { options } = run.request;
  const foreign = await leftInSource(source);
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
        signal: run.signal,
      }),
    options.source_locks,
  );
  const { things } = found;
  const steps = stepsOf(found.entries, found.addresses);
  const tables = opened.tables.filter(({ oid }) => oid !== foreign?.oid);
  const sequences = opened.sequences.filter(
    ({ schema, name }) => !foreign?.parts.has(thingKey({ kind: "sequence", name: `${schema}.${name}` })),
  );
  if (options.include === undefined && options.exclude === undefined)
    return { opened, steps, things, tables, sequences, notes: [] };
  const without = unselected(
    (await readSelectable(source)).filter(({ oid }) => oid !== foreign?.oid),
    options,
  );
  const { kept, notes } = leaveOut(steps, things, without);
  const out = new Set(notes.map(thingKey));
  const isIn = (kind: string, { schema, name }: { schema: string; name: string }) =>
    !out.has(thingKey({ kind, name: printable(`${schema}.${name}`) }));
  return {
    opened,
    steps: kept,
    things,
    tables: tables.filter((table) => !without.has(table.oid) && isIn("table", table)),
    sequences: sequences.filter((sequence) => isIn("sequence", sequence)),
    notes,
  };
}

/** The inventory of both sides. Errors: `inventory_incomplete`. */
async function account(
  source: Session,
  target: Session,
  about: {
    things: Thing[];
    ownTable: ReadonlySet<string>;
    said: Notes;
    content: NonNullable<CopyRequest["options"]["content"]>;
  },
): Promise<InventoryEntry[]> {
  const { things, ownTable, said, content } = about;
  const { notes, note, warn } = said;
  if (content === "data") {
    const left = new Set(notes.map(thingKey));
    const rest = things.filter(({ kind, name }) => !left.has(thingKey({ kind, name: printable(name) })));
    return [
      ...notes,
      ...rest.map(({ kind, name }) => ({
        kind,
        name: printable(name),
        outcome: kind === "table" ? ("copied" as const) : ("not_applicable" as const),
        note: kind === "table" ? "its rows, into the table that was there" : "only rows were asked for (content: data)",
      })),
    ];
  }
  for (const left of await readLeftBehind(source)) {
    note({ ...left, name: printable(left.name), outcome: "reported" });
    warn(`${left.kind} ${printable(left.name)}: ${left.note}`);
  }
  if (content === "schema") {
    for (const { kind, name } of things.filter((thing) => thing.kind === "large object"))
      note({ kind, name, outcome: "not_applicable", note: "only the schema was asked for (content: schema)" });
  }
  // Its transaction held the locks all the while: had it been lost, this would fail.
  const comparable = Math.floor(source.version / 10_000) === Math.floor(target.version / 10_000);
  const { inventory, differing } = compareInventories(things, await readInventory(target, ownTable), notes, comparable);
  if (differing.length > 0) warn(`written differently by the target: ${differing.slice(0, 10).join(", ")}`);
  return inventory;
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

async function openWorker({ open }: Run, name: string): Promise<Worker> {
  const [source, target] = await Promise.all([open("source", name), open("target", name)]);
  return { source, target, pool: createPool() };
}
