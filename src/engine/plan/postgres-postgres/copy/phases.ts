import type { CopyReport } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { otherLocale, unknownEncoding } from "../../../postgres/catalogue/locale.ts";
import { refuseOtherMoney } from "../../../postgres/catalogue/money.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { versionText } from "../../../postgres/driver/version.ts";
import { applicationName, fenced } from "../../../postgres/fence/fence.ts";
import { findTable, partsOf } from "../../../postgres/fence/table.ts";
import { letGo } from "../../../postgres/source/holding.ts";
import { refuseUnreadableSequences } from "../../../postgres/source/unreadable-sequences.ts";
import { checkFilled, quietly } from "../../../postgres/target/data-only.ts";
import { withoutDefaultRights } from "../../../postgres/target/default-rights.ts";
import { isCounted } from "../../../report/facts.ts";
import { formatSnapshot } from "../../../report/format-snapshot.ts";
import { countedKind } from "../../../report/not-copied.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { DirectionResult, Life } from "../../../run/lifecycle.ts";
import { workOff } from "../../../run/pool.ts";
import { verificationMessages } from "../../../verify/checksum/messages.ts";
import { type PostgresDoubtful, refusePostgresMisfits } from "../../fits/postgres-values.ts";
import { looking } from "../../fits/values.ts";
import { account, createNotes, type Notes, noteReduced } from "../finish/account.ts";
import { type ComputedTables, readComputed, tellOthers } from "../finish/computed-columns.ts";
import { fillViews } from "../finish/fill-views.ts";
import { foreignKeyTasks, unitsAfter } from "../finish/foreign-keys.ts";
import { type AfterPlan, planAfter } from "../finish/indexes.ts";
import { copySequences } from "../finish/sequences.ts";
import { refuseForcedRows } from "../schema/forced-rows.ts";
import { codeWarnings } from "../schema/foreign-code.ts";
import { refuseLargeObjects } from "../schema/large-object-names.ts";
import { heaps, loadedTables, withLeaves } from "../schema/loaded-tables.ts";
import { readPlan, type SchemaPlan } from "../schema/plan.ts";
import { compareValues } from "./compare-values.ts";
import { tableName, tableTasks } from "./copy-tables.ts";
import {
  applyRightSteps,
  applySteps,
  noteMade,
  type ObjectTarget,
  readTargetFacts,
  reportRefused,
} from "./create-objects.ts";
import { prepareDataOnly } from "./data-only.ts";
import { largeObjectTasks, readGroups } from "./large-objects.ts";
import { claimed, filled, makeRoom } from "./prepare-target.ts";
import { fresh, planDigest, type Resumed, resume, schemaMark } from "./resume.ts";
import { markShapes, tableIds } from "./untouched.ts";
import { type CopyWorker, openWorker } from "./worker.ts";

/** The steps of one attempt at a complete copy, behind an open fence. */

/** Of the schema's phase, which reads it and then makes it. */
const schemaRead = 0.4;

export interface CopyRun extends Pick<Life, "request" | "progress" | "throttle" | "warn" | "signal" | "fail"> {
  open(role: "source" | "target", name: string): Promise<Session>;
  source: Session;
  target: Session;
  fence: Fence<Session>;
  content: "all" | "schema" | "data";
  log(message: string): void;
}

/** Known before any row is read, and the schema that was made by it. */
interface Attempt extends CopyRun {
  workers: readonly CopyWorker[];
  /** Own tables of the fence. */
  ownTable: ReadonlySet<string>;
  said: Notes;
  plan: SchemaPlan;
  /** Of the schema and the tables, for the marks of what is finished. */
  digest: string;
  schema: ObjectTarget;
  after: AfterPlan;
  resumed: Resumed;
}

export interface PlannedCopy extends Attempt {
  tables: readonly DataTable[];
  computed: ComputedTables;
}

export async function plan(run: CopyRun): Promise<PlannedCopy> {
  const { request, progress, signal, source, target, fence, content, log } = run;
  const { options } = request;
  const name = applicationName(request.owner, fence.epoch);
  const said = createNotes(run.warn);

  const ownTable = await partsOf(target, await findTable(target));
  progress.stage(schemaRead, 4);
  const workers = await Promise.all(Array.from({ length: options.jobs }, () => openWorker(run.open, name)));
  const planned = await readPlan({
    ...{ source, workers, applicationName: name, options, signal, log },
    did: () => progress.did(),
    open: () => run.open("source", name),
    giveUp: run.fail,
  }).catch(giveBack(fence));
  signal.addEventListener("abort", planned.held.stop, { once: true });
  planned.held.needs(planned.tables.map(({ oid }) => oid));
  const plan = { ...planned, tables: await loadedTables(source, target, planned.tables, { content, log }) };
  if (content !== "schema") await refuseUnreadableSequences(source, plan.sequences);
  await refuseForcedRows(source, target, withLeaves(plan.tables), options);
  await refuseOtherMoney(source, target);
  plan.notes.forEach(said.note);
  [...plan.opened.warnings, ...plan.warnings].forEach(said.warn);
  log(`Snapshot of the source: ${formatSnapshot(plan.opened.facts)}`);
  progress.plan(plan.tables.map((table) => ({ name: tableName(table), rows: table.rows, bytes: table.bytes })));
  const after = await planAfter(source, plan.steps.after, new Set(heaps(plan.tables).map(({ oid }) => oid)));
  progress.did();
  const digest = planDigest(plan.hash, plan.tables);
  await fence.claim(content === "data" ? filled(plan.tables) : claimed(plan.wanted)).catch(giveBack(fence));
  const resumed = request.reset
    ? fresh
    : await resume({
        ...run,
        ...plan,
        fence,
        target,
        workers,
        digest,
        after,
        dataOnly: content === "data",
        drop: options.drop,
        log,
      });
  const facts = await readTargetFacts(target);
  const unknown = unknownEncoding(plan.opened.encoding, facts.encoding);
  if (unknown !== undefined) said.warn(unknown);
  const { note, warn } = said;
  const schema: ObjectTarget = { session: target, fence, facts, owed: [], note, warn, did: progress.did };
  const attempt: Attempt = { ...run, workers, ownTable, digest, said, plan, schema, after, resumed };
  const tables = await prepareTarget(attempt);
  const computed = await readComputed(source, content === "schema" ? [] : tables);
  await letGo(source);
  return { ...attempt, tables, computed };
}

export async function compare(
  run: CopyRun,
  { plan, workers, tables, computed, ownTable, said, resumed }: PlannedCopy,
  counted: CopyReport["tables"],
): Promise<DirectionResult> {
  const { progress, signal, throttle, source, target, content, log } = run;
  const { options } = run.request;
  const inventory = await account(source, target, { things: plan.things, ownTable, said, content });
  const verification =
    options.verify === "checksum" && content !== "schema"
      ? await compareValues(workers, tables, {
          ...{ signal, throttle, computed },
          progress: (_table, rows) => progress.compared(rows),
        })
      : undefined;
  await plan.held.release();
  if (verification !== undefined) verificationMessages(verification).forEach(said.warn);
  const objects = `the report lists the result for ${countedKind(inventory.filter(isCounted).length, "object")}`;
  if (verification === undefined || verification.differences.length === 0)
    log(
      content === "schema"
        ? `Verified: ${objects}; no rows were requested`
        : `Verified: ${verification ? "all values" : "row counts"} are equal for ${countedKind(rowsOf(counted), "row")} in ${countedKind(tables.length, "table")}, and ${objects}`,
    );
  return {
    source: { engine: "postgres", version: versionText(source.version) },
    target: { engine: "postgres", version: versionText(target.version) },
    size: plan.opened.size,
    snapshot: plan.opened.facts,
    tables: counted.sort((a, b) => (a.source < b.source ? -1 : 1)),
    inventory,
    ...(verification === undefined ? {} : { verification }),
    ...(resumed.tables === undefined ? {} : { resumed: resumed.tables }),
  };
}

const withoutRows = (name: string) => ({ source: name, target: name, rows: { source: 0, target: 0 } });
const rowsOf = (tables: CopyReport["tables"]) => tables.reduce((sum, { rows }) => sum + rows.source, 0);

/** The schema up to the rows, or the tables that are there. Answers the tables as they are to be copied. */
async function prepareTarget(attempt: Attempt): Promise<readonly DataTable[]> {
  const { source, target, fence, plan, digest, ownTable, resumed, said, log } = attempt;
  const { drop } = attempt.request.options;
  if (attempt.content === "data") {
    const { progress, workers } = attempt;
    const refuse = async (doubtful: readonly PostgresDoubtful[]) =>
      void (await refusePostgresMisfits(
        workers.map((worker) => worker.source),
        doubtful,
        { ...looking(progress, 1), log },
      ));
    const tables = await prepareDataOnly(target, plan.tables, {
      source,
      fence,
      drop,
      kept: resumed.kept,
      refuse,
      log,
    }).catch(giveBack(fence));
    for (const worker of attempt.workers) await quietly(worker.target, withLeaves(tables));
    return tables;
  }
  for (const words of await codeWarnings(source, target)) said.warn(words);
  const locale = await otherLocale(source, target);
  if (locale !== undefined) said.warn(`the target database: ${locale}`);
  if (resumed.hasSchema) {
    noteMade(attempt.schema, plan.steps.before);
    return plan.tables;
  }
  if (attempt.content === "all") await refuseLargeObjects(source, target).catch(giveBack(fence));
  await makeRoom(target, plan.wanted, { fence, drop, own: ownTable, log }).catch(giveBack(fence));
  log(
    `Creating ${countedKind(plan.wanted.length, "object")}, including ${countedKind(plan.tables.length, "table")}; ${Math.round(plan.opened.size / 1e6)} MB in the source`,
  );
  attempt.progress.stage(1, plan.steps.before.length);
  await applySteps(attempt.schema, plan.steps.before);
  await fenced(target, fence, async () => {
    await fence.partDone(target, schemaMark(digest), 0);
    await markShapes(target, fence, withLeaves(plan.tables));
  });
  return plan.tables;
}

export async function copyRows(_run: CopyRun, attempt: PlannedCopy): Promise<CopyReport["tables"]> {
  const { source, target, workers, fence, plan, digest, progress, said, schema, content, tables, computed } = attempt;
  const { facts } = schema;
  const counted: CopyReport["tables"] = [];
  const isRead = attempt.request.options.verify !== "checksum";
  const work = tableTasks(
    {
      fence,
      progress,
      facts,
      options: {
        jobs: attempt.request.options.jobs,
        version: source.version,
        encodings: { source: plan.opened.encoding, target: facts.encoding },
      },
      withRows: content !== "schema",
      kept: attempt.resumed.kept,
      ids: content === "data" ? new Map() : tableIds(await fence.made()),
      digest,
      throttle: attempt.throttle,
      indexes: attempt.after.indexes,
      warn: said.warn,
      refused: (step, error) => reportRefused(said, step, error),
      made: ({ kind, name }) => said.note({ kind, name: printable(name), outcome: "copied" }),
      counted(table, rows) {
        counted.push({ source: tableName(table), target: tableName(table), rows });
        if (isRead && !computed.has(table.oid)) for (const { oid } of heaps([table])) plan.held.done(oid);
      },
    },
    tables,
  );
  await workOff<CopyWorker>(workers, work, attempt.fail);
  const groups = content === "all" ? await readGroups(source) : [];
  await workOff(
    workers,
    largeObjectTasks({ fence, facts, warn: said.warn, moved: progress.beside }, groups),
    attempt.fail,
  );
  const large = groups.reduce((sum, { count }) => sum + count, 0);
  if (content === "schema") return tables.map(tableName).map(withoutRows);
  await copySequences(source, target, fence, plan.sequences, content === "data" ? said.warn : undefined);
  await letGo(source);
  await tellOthers(attempt, tables, computed);
  if (isRead) await plan.held.release();
  attempt.log(
    `Copied ${countedKind(rowsOf(counted), "row")} of ${countedKind(tables.length, "table")}${large > 0 ? ` and ${countedKind(large, "large object")}` : ""}`,
  );
  return counted;
}

export async function finish(_run: CopyRun, attempt: PlannedCopy): Promise<void> {
  const { target, workers, fence, said, schema, after, content, plan, progress, tables } = attempt;
  progress.stage(1, unitsAfter(after, plan, content));
  await applySteps(schema, after.rest);
  const keys = { fence, ...said, did: progress.did };
  await workOff(workers, foreignKeyTasks(keys, after.foreignKeys, workers.length), attempt.fail);
  if (content !== "data") await withoutDefaultRights(target, fence, attempt.log);
  await applyRightSteps(schema, plan.steps.rights);
  await fillViews(attempt);
  await applySteps(schema, plan.steps.watching);
  if (content === "data") await checkFilled(target, tables);
  else noteReduced(plan.reduced, said);
}
