import { counted, numberText } from "../../../../guard/text.ts";
import type { CopyReport, InventoryEntry, Verification } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import { flavourOf } from "../../../mysql/source/open-source.ts";
import { analyzeTables } from "../../../mysql/target/analyze.ts";
import { orphansOf } from "../../../mysql/target/orphans.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { reportObject } from "../../../postgres/catalogue/objects.ts";
import { versionText } from "../../../postgres/driver/version.ts";
import { changedColumns, changedColumnsMessage } from "../../../report/facts.ts";
import { formatSnapshot } from "../../../report/format-snapshot.ts";
import type { DirectionResult } from "../../../run/lifecycle.ts";
import { workOff } from "../../../run/pool.ts";
import { verificationMessages } from "../../../verify/checksum/messages.ts";
import { lostKeyMessages } from "../../lost-keys.ts";
import type { ViewOutcomes } from "../../views.ts";
import { compareValues } from "../finish/checksums.ts";
import { createViews, withView } from "../finish/create-views.ts";
import { type Ended, endTables, setCounter, unitsOfEnd } from "../finish/finish-table.ts";
import { structureOf } from "../finish/read-back.ts";
import { expressionVerifier } from "../finish/verify-expressions.ts";
import { planForeignKeys } from "../tables/foreign-keys.ts";
import type { CopyWorker } from "./copy-part.ts";
import { tableTasks } from "./copy-tables.ts";
import { type PreparedCopy, prepare } from "./prepare.ts";
import { dataWarnings, objectEntries, sequenceEntries, withDifferences } from "./report.ts";
import { markFinished } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import { plansOf } from "./state.ts";
import { targetName } from "./target.ts";

/** The steps of a copy: the order of all that is read, made and compared. */

export async function plan(run: CopyRun): Promise<PreparedCopy> {
  const { hooks, progress, warn } = run;
  const prepared = await prepare(run);
  const { states, source } = prepared;
  hooks.log("info", `Snapshot of the source: ${formatSnapshot(source.facts)}`);
  // A view reads its tables once more, to be counted.
  if (prepared.views.length === 0) prepared.held.needs(states.flatMap(({ rows }) => rows.heaps.map(({ oid }) => oid)));
  [...source.warnings, ...prepared.written, ...prepared.uncounted].forEach(warn);
  progress.plan(states.map(({ source, rows }) => ({ name: tableName(source), rows: rows.rows, bytes: rows.bytes })));
  return prepared;
}

/** What was made after the rows. */
export interface Finished {
  keys: Ended;
  views: ViewOutcomes;
}

export async function finish(run: CopyRun, prepared: PreparedCopy): Promise<Finished> {
  const { request, progress, warn } = run;
  const { states, workers } = prepared;
  const { content } = request.options;
  if (content === "data") progress.stage(1, states.length);
  const keys = content === "data" ? { entries: [], made: [] } : await finishSchema(run, prepared);
  if (content !== "schema") {
    const names = states.map(({ plan }) => targetName(plan));
    const sessions = workers.map((worker) => worker.target);
    await analyzeTables(sessions, names, { warn, did: progress.did });
  }
  const views = content === "data" ? new Map() : await createViews(run, prepared);
  return { keys, views };
}

export async function compare(
  run: CopyRun,
  prepared: PreparedCopy,
  _rows: unknown,
  { keys, views }: Finished,
): Promise<DirectionResult> {
  const { request, progress, warn } = run;
  const content = request.options.content ?? "all";
  const { states, source, workers, kept } = prepared;
  const { target } = workers[0] as CopyWorker;
  const changes = [...dataWarnings(states), ...states.flatMap(({ kept }) => kept?.warnings ?? [])];
  const changed = changedColumns(changes.length + prepared.written.length);
  if (request.options.verify !== "checksum") progress.stage(1, states.length);
  const verification = await verify(run, prepared, changed);
  await prepared.held.release();
  if (content === "data") {
    const names = new Set(states.map(({ plan }) => plan.name));
    (await orphansOf(target, request.target.database, names)).forEach(warn);
  }
  changes.forEach(warn);
  const inventory = withDifferences(
    inventoryOf(prepared, keys.entries, views, content),
    content === "data" ? [] : await structureOf(target, plansOf(states).values(), keys.made, () => progress.did()),
    warn,
  );
  lostKeyMessages(inventory).forEach(warn);
  return {
    source: { engine: "postgres", version: versionText(run.first.version) },
    target: flavourOf(target),
    size: source.size,
    snapshot: source.facts,
    tables: states.map(({ source: table, plan, counts }) => ({
      source: tableName(table),
      target: `${plan.load.database}.${plan.name}`,
      rows: counts,
    })),
    inventory,
    ...changed,
    ...(verification === undefined ? {} : { verification }),
    ...(prepared.resumed ? { resumed: { kept: kept.kept, copied_again: kept.copiedAgain } } : {}),
  };
}

export async function copyRows(
  run: CopyRun,
  { workers, states, replan, sequences, views, held }: PreparedCopy,
): Promise<void> {
  const { fence, progress, throttle, request, hooks, warn } = run;
  const content = request.options.content ?? "all";
  const tasks = tableTasks(
    {
      fence,
      progress,
      throttle,
      content,
      replan,
      strict: isStrict(request),
      warn,
      log: (message) => hooks.log("info", message),
      prove: expressionVerifier(run, warn),
      async done(state, { target }) {
        if (content === "schema") return;
        if (views.length === 0 && request.options.verify !== "checksum")
          for (const { oid } of state.rows.heaps) held.done(oid);
        const words = content === "data" ? undefined : await setCounter(target, state.plan, sequences);
        if (words !== undefined) warn(words);
        if (state.kept === undefined) await markFinished(target, fence, state, content);
      },
    },
    states,
  );
  await workOff(workers, tasks, run.fail);
  if (content !== "schema")
    hooks.log("info", `${numberText(states.reduce((sum, { counts }) => sum + counts.source, 0))} rows copied`);
}

const isStrict = ({ options }: CopyRun["request"]): boolean => options.on_object_error === "fail";

/** What needs the rows of every table: foreign keys, and the last change of each. */
async function finishSchema(
  { request, fence, hooks, fail, progress, warn }: CopyRun,
  { workers, states, scheme, views }: PreparedCopy,
): Promise<Ended> {
  const planned = planForeignKeys(scheme, plansOf(states));
  const bytes = new Map(states.map(({ source: { oid }, rows }) => [oid, rows.bytes]));
  const analyzed = request.options.content === "schema" ? 0 : states.length;
  progress.stage(1, unitsOfEnd(planned.keys, bytes) + analyzed + views.length);
  const { entries, made } = await endTables(workers, fence, plansOf(states).values(), planned.keys, {
    strict: isStrict(request),
    warn,
    failed: fail,
    did: progress.did,
    bytes,
  });
  if (made.length > 0) hooks.log("info", `${made.length} foreign keys added`);
  return { entries: [...planned.inventory, ...entries], made };
}

async function verify(
  run: CopyRun,
  { workers, states }: PreparedCopy,
  changed: Pick<CopyReport, "changed_columns">,
): Promise<Verification | undefined> {
  const { options, target } = run.request;
  if (options.content === "schema") return undefined;
  run.hooks.log("info", "row counts of source and target are equal");
  if (options.verify !== "checksum") return undefined;
  const verification = await compareValues(workers, target.database, plansOf(states).values(), run);
  verificationMessages(verification).forEach(run.warn);
  if (verification.differences.length === 0)
    run.hooks.log(
      "info",
      `all values are equal${changedColumnsMessage(changed)}: ${counted(verification.rows, "row")}`,
    );
  return verification;
}

/** With rows alone nothing else of the source is asked for; large objects are rows to their owner. */
const inventoryOf = (
  { states, chosen, objects, sequences }: PreparedCopy,
  keys: readonly InventoryEntry[],
  views: ViewOutcomes,
  content: string,
): KnownEntry[] => [
  ...states.flatMap(({ plan }) => plan.inventory),
  ...keys,
  ...chosen.entries,
  ...(content === "data"
    ? objects.filter(({ kind }) => kind === "large object").map(reportObject)
    : [
        ...objectEntries(objects, chosen).map((entry) => withView(entry, views)),
        ...sequenceEntries(sequences, plansOf(states).values(), chosen),
      ]),
];
