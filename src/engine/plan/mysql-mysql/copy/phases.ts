import { counted } from "../../../../guard/text.ts";
import type { CopyOptions, CopyReport, InventoryEntry } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { unseenEntries } from "../../../mysql/catalogue/hidden-objects.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { analyzeTables } from "../../../mysql/target/analyze.ts";
import { recordTables } from "../../../mysql/target/create.ts";
import { refuseOthersTriggers } from "../../../mysql/target/insert-triggers.ts";
import { changedColumns, changedColumnsMessage } from "../../../report/facts.ts";
import { formatSnapshot } from "../../../report/format-snapshot.ts";
import { finishedOf, readFinished } from "../../../run/fence/finished-marks.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import { map } from "../../../run/memory/iterators.ts";
import { refuseCounts } from "../../../run/row-counts.ts";
import { differingColumns } from "../../../verify/checksum/generated-columns.ts";
import { formatTable, verificationMessages } from "../../../verify/checksum/messages.ts";
import { compareValues } from "../finish/checksums.ts";
import { compareAll } from "../finish/compare-tables.ts";
import { definerWarnings } from "../finish/create-code.ts";
import { makeRest, unitsOfRest } from "../finish/finalize.ts";
import { readComputedThere, tellComputedThere } from "../finish/read-generated-columns.ts";
import { claimNames } from "../tables/claims.ts";
import { computingOf, computingTables } from "../tables/generated-columns.ts";
import { again, planDefinition, readPlanning } from "../tables/plan-tables.ts";
import { refuseLongRows, refuseMerged } from "../tables/row-sizes.ts";
import { tableInventory } from "../tables/table-inventory.ts";
import type { TablePlan, TablePlanning } from "../tables/table-plan.ts";
import { takePresent } from "../tables/take-present.ts";
import { brokenChecks } from "./broken-checks.ts";
import { copyTables, type DoneTable, lostKeys } from "./copy-tables.ts";
import { makePlanned } from "./create-tables.ts";
import { presentPlans } from "./plan-existing-tables.ts";
import { type FinishedTable, keepFinished, type ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import { makeSequences } from "./sequences.ts";
import { readSource, type SourceTexts } from "./source.ts";
import { clearing, clearTarget, readTarget } from "./target.ts";

type Done = Pick<CopyReport, "tables" | "inventory" | "changed_columns" | "verification" | "resumed">;

/** Of the schema's phase, which also clears the target. */
const schemaRead = 0.7;
const targetCleared = 0.8;
/** Of the phase in which values are compared too. */
const structureCompared = 0.2;

export async function copyAll(run: CopyRun): Promise<Done> {
  const { request, hooks, progress, warn, snapshot, catalogue, fence, prefix } = run;
  const { database } = request.source;
  const content = request.options.content ?? "all";
  const [reader, writer] = [snapshot.readers[0] as Session, run.writers[0] as Session];
  snapshot.warnings.forEach(warn);
  hooks.log("info", `Snapshot of the source: ${formatSnapshot(snapshot.facts)}`);
  for (const { note } of catalogue.unseen) warn(`${database}: ${note}`);

  progress.phase("schema");
  const target = await readTarget(writer, request.target.database);
  const crossing = reader.server.maria !== target.server.maria;
  progress.stage(schemaRead, catalogue.tables.length);
  const source = await readSource(snapshot.definitions, database, catalogue, content, () => progress.did());
  progress.stage(content === "data" ? targetCleared : 1, 4);
  const planning = await readPlanning(reader, writer, { database, prefix, target, tables: catalogue.tables });
  progress.plan(
    catalogue.tables.map(({ name, rows, dataBytes, indexBytes }) => ({ name, rows, bytes: dataBytes + indexBytes })),
  );
  const check = async () => {
    refuseMerged(catalogue.tables);
    (await claimNames(run, target.server, writer)).forEach(warn);
    if (content !== "schema") await refuseLongRows(reader, writer, database, catalogue.tables);
  };
  await check().catch(giveBack(fence));
  progress.did();
  const resumes = !request.reset && content !== "schema";
  const finished = resumes ? await readFinished<FinishedTable>(fence) : new Map<string, FinishedTable>();
  const kept = await keepFinished({
    session: writer,
    fence,
    database: target.database,
    content,
    finished,
    drop: request.options.drop ?? [],
    tables: catalogue.tables,
    plan: (table, undone) => planDefinition(planning, table, source).without(undone),
    compare: (plans) => compareValues(run, plans, target),
    words: (table) => formatTable([database, table]),
    log: (message) => hooks.log("info", message),
  });
  progress.did();
  await clearTarget(
    writer,
    fence,
    target.database,
    request.reset ? (request.made ?? []) : [],
    clearing(run, source, kept),
  );
  progress.did();
  if (content !== "data")
    await refuseOthersTriggers(
      writer,
      target.database,
      [...kept.tables.values()].map(({ name }) => name),
    );
  const present =
    content === "data" ? await presentPlans(run, planning, source, kept) : new Map<string, () => TablePlan>();
  const inventory = new Map<string, KnownEntry>();
  /** What was said before of the same object gives way. */
  const put = (entries: readonly KnownEntry[]) => {
    for (const entry of entries) inventory.set(`${entry.kind}\0${entry.name}`, entry);
  };
  put(await makeSequences(writer, fence, target.database, source.sequences, content));
  progress.did();

  progress.phase("copying");
  const done = await copyRows(run, { ...planning, present }, source, kept, catalogue.tables, warn);
  const computing = computingTables(catalogue.tables, (name) => done.get(name)?.plan, crossing);
  if (content === "all") await copyOtherwise(run, planning, source, { done, computing }, warn);
  if (content !== "schema") hooks.log("info", `${counted(rowsOf(done), "row")} copied`);
  refuseCounts(map(done, ([name, { rows }]) => ({ name, ...rows })));
  const there = content === "data" ? await readComputedThere(writer, target.database) : undefined;

  progress.phase("constraints");
  const analyzed = tellTables(done, content, { put, warn }).map((name) => [target.database, name] as const);
  progress.stage(1, analyzed.length + (there === undefined ? unitsOfRest({ run, source, content }) : 0));
  const changed = changedOf(done);
  const plansDone = () => map(done.values(), ({ plan }) => plan);
  if (there !== undefined) await tellComputedThere(run, plansDone(), there, target, { put, warn });
  else await makeRest({ run, source, target, done, crossing, put, warn });
  await analyzeTables(run.writers, analyzed, { warn, did: progress.did });

  progress.phase("verifying");
  progress.stage(request.options.verify === "checksum" ? structureCompared : 1, done.size);
  const different =
    content === "data" ? [] : await compareAll(writer, target, done, { crossing, did: () => progress.did() });
  // What was refused is not there either, and its entry has the server's words.
  put(different.filter(({ kind, name }) => inventory.get(`${kind}\0${name}`)?.outcome !== "reported"));
  for (const { kind, name, note } of different) warn(`${kind} ${name}: ${note}`);
  if (content !== "schema") hooks.log("info", "row counts of source and target are equal");
  const verification =
    request.options.verify === "checksum" && content !== "schema"
      ? await compareValues(run, plansDone(), target, there)
      : undefined;
  await snapshot.unlock();
  if (verification !== undefined) {
    verificationMessages(verification).forEach(warn);
    if (verification.differences.length === 0)
      hooks.log("info", `all hashes are equal${changedColumnsMessage(changed)}: ${counted(verification.rows, "row")}`);
  }
  definerWarnings([...inventory.values()]).forEach(warn);
  return {
    tables: catalogue.tables.map(({ name }) => ({
      source: `${database}.${name}`,
      target: `${target.database}.${prefix}${name}`,
      rows: done.get(name)?.rows ?? { source: 0, target: 0 },
    })),
    inventory: [...inventory.values(), ...run.excluded, ...unseenEntries(catalogue.unseen)],
    ...changed,
    ...(verification === undefined ? {} : { verification }),
    ...(finished.size === 0 ? {} : { resumed: { kept: [...kept.tables.keys()], copied_again: kept.copiedAgain } }),
  };
}

/** Says what became of each table. Answers with the names of those to analyse. */
function tellTables(
  done: ReadonlyMap<string, DoneTable>,
  content: NonNullable<CopyOptions["content"]>,
  { put, warn }: { put(entries: readonly InventoryEntry[]): void; warn(words: string): void },
): string[] {
  const analyzed: string[] = [];
  for (const { plan, entries, warnings } of done.values()) {
    // Others keep no statistics, and MySQL forgets the counter of a MEMORY table that is analysed.
    if (content !== "schema" && plan.translated.options.some(({ value }) => value === "InnoDB"))
      analyzed.push(plan.name);
    const all = [...tableInventory(plan, content), ...entries];
    put(all);
    [...brokenChecks(entries), ...lostKeys(all), ...warnings].forEach(warn);
  }
  return analyzed;
}

const changedOf = (done: ReadonlyMap<string, DoneTable>) =>
  changedColumns([...done.values()].reduce((sum, { warnings }) => sum + warnings.length, 0));

const rowsOf = (done: ReadonlyMap<string, DoneTable>): number =>
  [...done.values()].reduce((sum, one) => sum + one.rows.source, 0);

/** Copies what is not kept, the largest first, so that no long table is left for the end. */
async function copyRows(
  run: CopyRun,
  planning: TablePlanning,
  source: SourceTexts,
  kept: Pick<ResumedTables, "tables">,
  wanted: readonly SourceTable[],
  warn: (words: string) => void,
): Promise<Map<string, DoneTable>> {
  const { request, progress, snapshot, fence } = run;
  const content = request.options.content ?? "all";
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
        make: (session) => makeOne(run, session, planning, table, source, warn),
        again: (plan) => again(planning, table, source, plan),
      })),
    failed: run.failed,
  });
  for (const one of snapshot.readers) await one.run("SET SESSION character_set_results = utf8mb4");
  return done;
}

/** Tables whose generated columns the target's server computes otherwise: again, with these as plain columns. */
async function copyOtherwise(
  run: CopyRun,
  planning: TablePlanning,
  source: SourceTexts,
  { done, computing }: { done: Map<string, DoneTable>; computing: readonly TablePlan[] },
  warn: (words: string) => void,
): Promise<void> {
  const { fence, snapshot, progress, catalogue, signal, throttle } = run;
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
  for (const [name, one] of await copyRows(run, { ...planning, plain }, source, { tables: new Map() }, again, warn))
    done.set(name, one);
}

async function makeOne(
  run: CopyRun,
  session: Session,
  planning: TablePlanning,
  table: SourceTable,
  source: SourceTexts,
  warn: (words: string) => void,
) {
  const { plan } = planDefinition(planning, table, source);
  const { content, on_object_error } = run.request.options;
  if (content !== "data")
    return makePlanned(session, run.fence, planning.targetDatabase, plan, on_object_error === "fail");
  const found = planning.present?.get(table.name)?.() ?? plan(new Set());
  const left = await takePresent(session, run.fence, planning.targetDatabase, found, run.request.options.drop ?? []);
  if (left !== undefined) warn(left);
  return found;
}
