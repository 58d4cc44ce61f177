import { counted } from "../../../../guard/text.ts";
import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import { unseenEntries } from "../../../mysql/catalogue/hidden-objects.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { flavourOf } from "../../../mysql/source/open-source.ts";
import { analyzeTables } from "../../../mysql/target/analyze.ts";
import { refuseOthersTriggers } from "../../../mysql/target/insert-triggers.ts";
import { orphansOf } from "../../../mysql/target/orphans.ts";
import { changedColumns, changedColumnsMessage } from "../../../report/facts.ts";
import { formatSnapshot } from "../../../report/format-snapshot.ts";
import { readFinished } from "../../../run/fence/finished-marks.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { DirectionResult } from "../../../run/lifecycle.ts";
import { map } from "../../../run/memory/iterators.ts";
import { formatTable, verificationMessages } from "../../../verify/checksum/messages.ts";
import { lostKeyMessages } from "../../lost-keys.ts";
import { compareValues } from "../finish/checksums.ts";
import { compareAll } from "../finish/compare-tables.ts";
import { definerWarnings } from "../finish/create-code.ts";
import { makeRest, unitsOfRest } from "../finish/finalize.ts";
import { tellComputedThere } from "../finish/read-generated-columns.ts";
import { claimNames } from "../tables/claims.ts";
import { planDefinition, readPlanning } from "../tables/plan-tables.ts";
import { refuseLongRows, refuseMerged } from "../tables/row-sizes.ts";
import { tableInventory } from "../tables/table-inventory.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { brokenChecks } from "./broken-checks.ts";
import type { CopiedRows, PlannedCopy } from "./copy-rows.ts";
import type { DoneTable } from "./copy-tables.ts";
import { presentPlans } from "./plan-existing-tables.ts";
import { type FinishedTable, keepFinished } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import { makeSequences } from "./sequences.ts";
import { readSource } from "./source.ts";
import { clearing, clearTarget, readTarget } from "./target.ts";

/** The steps of a copy beside its rows. */

/** Of the schema's phase, which also clears the target. */
const schemaRead = 0.7;
const targetCleared = 0.8;
/** Of the phase in which values are compared too. */
const structureCompared = 0.2;

export async function plan(run: CopyRun): Promise<PlannedCopy> {
  const { request, hooks, progress, snapshot, catalogue, fence, prefix, warn } = run;
  const { database } = request.source;
  const content = request.options.content ?? "all";
  const [reader, writer] = [snapshot.readers[0] as Session, run.writers[0] as Session];
  snapshot.warnings.forEach(warn);
  hooks.log("info", `Snapshot of the source: ${formatSnapshot(snapshot.facts)}`);
  for (const { note } of catalogue.unseen) warn(`${database}: ${note}`);

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
  const put = (entries: readonly KnownEntry[]) => {
    for (const entry of entries) inventory.set(`${entry.kind}\0${entry.name}`, entry);
  };
  put(await makeSequences(writer, fence, target.database, source.sequences, content));
  progress.did();
  return { target, crossing, content, source, planning: { ...planning, present }, finished, kept, inventory, put };
}

export async function finish(
  run: CopyRun,
  { target, crossing, content, source, put }: PlannedCopy,
  { done, there }: CopiedRows,
): Promise<void> {
  const { progress, warn } = run;
  const analyzed = tellTables(done, content, { put, warn }).map((name) => [target.database, name] as const);
  progress.stage(1, analyzed.length + (there === undefined ? unitsOfRest({ run, source, content }) : 0));
  if (there !== undefined) await tellComputedThere(run, plansOf(done), there, target, { put, warn });
  else await makeRest({ run, source, target, done, crossing, put, warn });
  await analyzeTables(run.writers, analyzed, { warn, did: progress.did });
}

export async function compare(
  run: CopyRun,
  { target, crossing, content, finished, kept, inventory, put }: PlannedCopy,
  { done, there }: CopiedRows,
): Promise<DirectionResult> {
  const { request, hooks, progress, snapshot, catalogue, prefix, warn } = run;
  const { database } = request.source;
  const writer = run.writers[0] as Session;
  const changed = changedOf(done);
  progress.stage(request.options.verify === "checksum" ? structureCompared : 1, done.size);
  const different =
    content === "data" ? [] : await compareAll(writer, target, done, { crossing, did: () => progress.did() });
  // What was refused is not there either, and its entry has the server's words.
  put(different.filter(({ kind, name }) => inventory.get(`${kind}\0${name}`)?.outcome !== "reported"));
  for (const { kind, name, note } of different) warn(`${kind} ${name}: ${note}`);
  if (content !== "schema") hooks.log("info", "row counts of source and target are equal");
  const verification =
    request.options.verify === "checksum" && content !== "schema"
      ? await compareValues(run, plansOf(done), target, there)
      : undefined;
  await snapshot.unlock();
  if (content === "data") {
    const names = new Set(map(plansOf(done), ({ name }) => name));
    (await orphansOf(writer, target.database, names)).forEach(warn);
  }
  if (verification !== undefined) {
    verificationMessages(verification).forEach(warn);
    if (verification.differences.length === 0)
      hooks.log("info", `all hashes are equal${changedColumnsMessage(changed)}: ${counted(verification.rows, "row")}`);
  }
  definerWarnings([...inventory.values()]).forEach(warn);
  lostKeyMessages(inventory.values()).forEach(warn);
  return {
    source: flavourOf(snapshot.readers[0] as Session),
    target: flavourOf(writer),
    size: run.size,
    snapshot: snapshot.facts,
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
    put([...tableInventory(plan, content), ...entries]);
    [...brokenChecks(entries), ...warnings].forEach(warn);
  }
  return analyzed;
}

const plansOf = (done: ReadonlyMap<string, DoneTable>) => map(done.values(), ({ plan }) => plan);

const changedOf = (done: ReadonlyMap<string, DoneTable>) =>
  changedColumns([...done.values()].reduce((sum, { warnings }) => sum + warnings.length, 0));
