import { counted } from "../../../../guard/text.ts";
import type { InventoryEntry } from "../../../contract/index.ts";
import { unseenEntries } from "../../../mysql/catalogue/hidden-objects.ts";
import { readDefinitions } from "../../../mysql/catalogue/objects.ts";
import { flavourOf } from "../../../mysql/source/open-source.ts";
import { checkFilled } from "../../../postgres/target/data-only.ts";
import { withoutDefaultRights } from "../../../postgres/target/default-rights.ts";
import { changedColumns, changedColumnsMessage } from "../../../report/facts.ts";
import { formatSnapshot } from "../../../report/format-snapshot.ts";
import type { DirectionResult } from "../../../run/lifecycle.ts";
import { map } from "../../../run/memory/iterators.ts";
import { refuseCounts } from "../../../run/row-counts.ts";
import { verificationMessages } from "../../../verify/checksum/messages.ts";
import { lostKeyMessages } from "../../lost-keys.ts";
import type { ViewOutcomes } from "../../views.ts";
import { compareValues } from "../finish/checksums.ts";
import { countTarget } from "../finish/counts.ts";
import { createViews } from "../finish/create-views.ts";
import type { Finishing } from "../finish/finishing-run.ts";
import { addForeignKeys, unitsOfKeys } from "../finish/foreign-keys.ts";
import { makeGrants } from "../finish/grants.ts";
import { planForeignKeys } from "../tables/foreign-keys.ts";
import { doubtfulIndexes } from "../tables/indexes.ts";
import { spentNumbers } from "../tables/next-value.ts";
import { planAll } from "../tables/plan-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { type CopiedRows, type PlannedCopy, planStates, targets } from "./copy-rows.ts";
import type { TableState } from "./copy-tables.ts";
import { dataWarnings, othersLeft, othersReported, readAsUtc, withoutPostgis } from "./report.ts";
import { prepareTables } from "./resume-tables.ts";
import { type CopyRun, failing, firstReader } from "./run.ts";

/** The steps of a copy beside its rows. */

/** What follows the rows of all tables. */
export interface Finished {
  /** As the data have changed them. */
  final: TablePlan[];
  /** Keys that are not made, views, and rights. */
  inventory: InventoryEntry[];
  views: ViewOutcomes;
}

/** Of the schema's phase, which then looks at values and makes the tables. */
const schemaPlanned = 0.2;
/** Of the phase in which values are compared too. */
const rowsCounted = 0.2;

export async function plan(run: CopyRun): Promise<PlannedCopy> {
  const { request, hooks, progress, snapshot, catalogue, fence, open, sessions, warn, throttle, signal } = run;
  const { options } = request;
  const { database } = request.source;
  const dataOnly = options.content === "data";
  snapshot.warnings.forEach(warn);
  hooks.log("info", `Snapshot of the source: ${formatSnapshot(snapshot.facts)}`);
  for (const { note } of catalogue.unseen) warn(`${database}: ${note}`);

  progress.stage(schemaPlanned, 1);
  const planned = await planAll(run);
  const { scheme, plans } = planned;
  progress.did();
  readAsUtc(plans).forEach(warn);
  if (!dataOnly) {
    for (const { inventory } of plans) lostKeyMessages(inventory).forEach(warn);
    withoutPostgis(scheme.postgis, plans).forEach(warn);
  }
  for (const { reason } of doubtfulIndexes(plans)) hooks.log("warning", reason);
  const comparing = { scheme, readers: snapshot.readers, open, throttle, progress, signal, options };
  const prepared = await prepareTables(run, planned, comparing);
  prepared.stray.forEach(warn);
  prepared.written.forEach(warn);
  progress.plan(
    plans.map(({ source: { name, rows, dataBytes, indexBytes } }) => ({ name, rows, bytes: dataBytes + indexBytes })),
  );

  const { jobs, on_object_error } = options;
  const strict = on_object_error === "fail";
  const finishing: Finishing = { scheme, sessions, fence, jobs, inventory: [], warn, strict, progress };
  const states = await planStates(run, planned, prepared.kept);
  return { ...planned, ...prepared, states, finishing, comparing, dataOnly };
}

export async function finish(
  run: CopyRun,
  { scheme, plans, states, finishing, dataOnly }: PlannedCopy,
  { viewCounts }: CopiedRows,
): Promise<Finished> {
  const { hooks, progress, snapshot, catalogue, fence, sessions, warn } = run;
  const final = states.map(({ plan }) => plan);
  if (dataOnly) await sessions.use((session) => checkFilled(session, targets(run, plans)));
  const keys = dataOnly
    ? { keys: [], inventory: [] }
    : planForeignKeys(scheme, new Map(final.map((plan) => [plan.source.name, plan])));
  for (const { kind, name, note, lostKey } of keys.inventory) if (!lostKey) warn(`${kind} ${name}: ${note}`);
  const viewCount = catalogue.others.filter(({ kind }) => kind === "view").length;
  progress.stage(1, unitsOfKeys(keys.keys) + (dataOnly ? 0 : viewCount + 1));
  await failing(run, addForeignKeys(finishing, keys.keys));
  if (keys.keys.length > 0) hooks.log("info", `${keys.keys.length} foreign keys added`);
  const views: ViewOutcomes = dataOnly
    ? new Map()
    : await failing(run, createViews(finishing, catalogue.others, final, viewCounts));
  if (!dataOnly)
    await failing(
      run,
      sessions.use((session) => withoutDefaultRights(session, fence, (words) => hooks.log("info", words))),
    );
  progress.did();
  const grants = dataOnly ? [] : await failing(run, makeGrants(finishing, firstReader(snapshot), final));
  return { final, inventory: [...keys.inventory, ...grants], views };
}

export async function compare(
  run: CopyRun,
  planned: PlannedCopy,
  { counts }: CopiedRows,
  { final, ...done }: Finished,
): Promise<DirectionResult> {
  const { request, hooks, progress, snapshot, catalogue, sessions, warn } = run;
  const { options } = request;
  const { database } = request.source;
  const { scheme, states, finishing, comparing, dataOnly, finished, kept } = planned;
  progress.stage(options.verify === "checksum" ? rowsCounted : 1, final.length);
  const targetCounts = await failing(run, countTarget(sessions, scheme.schema, final, progress));
  refuseCounts(map(counts, ([name, source]) => ({ name, source, target: targetCounts.get(name) })));
  if (options.content !== "schema") hooks.log("info", "row counts of source and target are equal");
  const changes = dataWarnings(states, options.zero_dates);
  const earlier = [...kept].reduce((sum, name) => sum + (finished.get(name)?.changed ?? 0), 0);
  const changed = changedColumns(changes.length + earlier + planned.written.length);
  const checksum = options.verify === "checksum" && options.content !== "schema";
  const verification = checksum ? await failing(run, compareValues(comparing, final)) : undefined;
  if (verification !== undefined) {
    verificationMessages(verification).forEach(warn);
    if (verification.differences.length === 0)
      hooks.log("info", `all values are equal${changedColumnsMessage(changed)}: ${counted(verification.rows, "row")}`);
    await snapshot.unlock();
  }
  changes.forEach(warn);
  for (const name of kept) {
    finished.get(name)?.warnings.forEach(warn);
    finishing.inventory.push(...(finished.get(name)?.inventory ?? []));
  }
  // The sessions are free: their rows are read.
  if (!dataOnly) await readDefinitions(snapshot.readers, database, catalogue.others);
  const others = dataOnly ? othersLeft(catalogue.others) : othersReported(catalogue.others, done.views);
  const inventory = [
    ...finalInventory(states, finishing),
    ...finishing.inventory,
    ...done.inventory,
    ...planned.sequences,
    ...others,
    ...run.excluded,
    ...unseenEntries(catalogue.unseen),
  ];
  // Again: a plan that the data changed may have lost one more.
  lostKeyMessages(inventory).forEach(warn);
  spentNumbers(inventory).forEach(warn);
  return {
    source: flavourOf(firstReader(snapshot)),
    target: { engine: "postgres", version: planned.target.versionText },
    size: run.size,
    snapshot: snapshot.facts,
    tables: catalogue.tables.map(({ name }) => ({
      source: `${database}.${name}`,
      target: `${scheme.schema}.${scheme.tables.get(name) ?? name}`,
      rows: { source: counts.get(name) ?? 0, target: targetCounts.get(name) ?? 0 },
    })),
    inventory,
    ...changed,
    ...(verification === undefined ? {} : { verification }),
    ...(finished.size === 0 ? {} : { resumed: { kept: [...kept], copied_again: planned.copiedAgain } }),
  };
}

/** Entries that finishing changed are marked there by kind and name. */
const finalInventory = (states: readonly TableState[], { inventory }: Finishing) => {
  const changed = new Set(inventory.map(({ kind, name }) => `${kind}\0${name}`));
  // The plan names only checks that are not made, of which each may share its name with one that is.
  const isKept = ({ kind, name }: InventoryEntry) => kind === "check" || !changed.has(`${kind}\0${name}`);
  return states.flatMap(({ plan }) => plan.inventory).filter(isKept);
};
