import { counted } from "../../../../guard/text.ts";
import { splitTable } from "../../../mysql/source/split.ts";
import { quietly } from "../../../postgres/target/data-only.ts";
import { markOf } from "../../../run/fence/finished-marks.ts";
import { workOff } from "../../../run/pool.ts";
import type { ChecksumRun } from "../finish/checksums.ts";
import { countSource, type RowCounts } from "../finish/counts.ts";
import { countViews } from "../finish/create-views.ts";
import { finishTable } from "../finish/finish-table.ts";
import type { Finishing } from "../finish/finishing-run.ts";
import { verifyBooleans } from "../finish/verify-booleans.ts";
import { expressionVerifier } from "../finish/verify-expressions.ts";
import type { Planned } from "../tables/plan-tables.ts";
import { copyPart } from "./copy-part.ts";
import { copyTables, createTableState, type TableState } from "./copy-tables.ts";
import { countMerged } from "./merged-labels.ts";
import { dataWarnings } from "./report.ts";
import { type FinishedTable, tablePlanDigest } from "./resume.ts";
import type { PreparedTables } from "./resume-tables.ts";
import { type CopyRun, failing, firstReader } from "./run.ts";
import { all } from "./sessions.ts";
import { remakeTable } from "./target.ts";

export interface PlannedCopy extends Planned, PreparedTables {
  states: TableState[];
  /** What follows the rows of each table, and of all. */
  finishing: Finishing;
  comparing: ChecksumRun;
  /** The tables were there: what follows their rows stands already. */
  dataOnly: boolean;
}

export interface CopiedRows {
  /** The source's, in the snapshot, kept tables included. */
  counts: RowCounts;
  /** Rows that views show there, by their names. */
  viewCounts: RowCounts;
}

/** The rows of all tables but the kept ones; each table's indexes and constraints follow as soon as its rows are there. */
export async function copyRows(run: CopyRun, planned: PlannedCopy): Promise<CopiedRows> {
  const { request, hooks, progress, snapshot, fence } = run;
  const { options } = request;
  const { database } = request.source;
  const rowless = options.content === "schema";
  const { observedTypes, plan, plans, states, finishing, kept, dataOnly } = planned;
  const stateOf = new Map(states.map((state) => [state.plan.source.name, state]));

  const open = async () => {
    const session = await run.open();
    if (dataOnly) await quietly(session, targets(run, plans));
    return session;
  };
  const finishOne = async (state: TableState) => {
    const { name } = state.plan.source;
    progress.settle(name, state.rows);
    progress.state(name, "indexing");
    if (!dataOnly) await verifyBooleans(finishing, state, observedTypes, () => plan(name));
    const said: string[] = [];
    const warn = (words: string) => {
      said.push(words);
      finishing.warn(words);
    };
    const own: Finishing = { ...finishing, inventory: [], warn };
    const done = () => {
      const changes = dataWarnings([state], options.zero_dates);
      const finished: FinishedTable = {
        table: name,
        digest: tablePlanDigest(state.plan),
        observedTypes: Object.fromEntries(observedTypes.of(name)),
        warnings: [...changes, ...said],
        changed: changes.length,
        inventory: own.inventory,
      };
      return { mark: markOf(finished), rows: state.rows };
    };
    await finishTable(own, state.plan, state.rows, rowless ? undefined : done);
    finishing.inventory.push(...own.inventory);
    progress.state(name, "done");
  };

  for (const name of kept) progress.state(name, "done");
  const finishes: Promise<void>[] = [];
  let viewCounts: RowCounts = new Map();
  const copying = async () => {
    const wanted = states.filter((state) => !kept.has(state.plan.source.name));
    const names = states.map((state) => state.plan.source.name);
    if (rowless) {
      // As many at a time as there are sessions: the statements of very many tables would be in memory together.
      const lanes = Array.from({ length: options.jobs });
      await workOff(
        lanes,
        wanted.map((state) => ({ run: () => finishOne(state) })),
        run.fail,
      );
      return new Map(names.map((name) => [name, 0]));
    }
    await copyTables({
      states: wanted,
      snapshot,
      open,
      fence,
      progress,
      throttle: run.throttle,
      signal: run.signal,
      failed: run.fail,
      copy: copyPart,
      teach: (used, findings) =>
        [...observedTypes.observe(used, findings)].flatMap((name) => {
          const other = stateOf.get(name);
          return other === undefined ? [] : [{ state: other, plan: plan(name) }];
        }),
      prove: expressionVerifier(run, planned, {
        warn: finishing.warn,
        put: (entry) => finishing.inventory.push(entry),
      }),
      remake: (writer, before, after) => remakeTable(writer, fence, before, after),
      copied(state) {
        const work = failing(run, finishOne(state));
        // Awaited below; until then a failure must not count as unheard.
        work.catch(() => undefined);
        finishes.push(work);
      },
    });
    const rows = await countSource(snapshot.readers, database, names);
    const final = states.map((state) => state.plan);
    if (!dataOnly) viewCounts = await countViews(snapshot.readers, planned.scheme, run.catalogue.others, final, rows);
    return rows;
  };
  const counts = await failing(run, copying()).catch(async (error: unknown) => {
    // What still runs ends by the same signal; nothing may outlive the answer.
    await Promise.allSettled(finishes);
    throw error;
  });
  const copied = [...counts.values()].reduce((total, rows) => total + rows, 0);
  hooks.log("info", `${counted(copied, "row")} copied`);
  // Where values are compared, they are compared with the snapshot's, which lasts until then.
  if (options.verify !== "checksum" || rowless) await snapshot.unlock();
  for (const [name, rows] of counts) if (kept.has(name)) progress.settle(name, rows);
  await all(finishes);
  return { counts, viewCounts };
}

/** The target's tables, as others know them. */
export const targets = ({ schema }: CopyRun, plans: Planned["plans"]): { schema: string; name: string }[] =>
  plans.map(({ name }) => ({ schema, name }));

export async function planStates(
  { request, snapshot }: CopyRun,
  { plans, observedTypes: { groups } }: Planned,
  kept: ReadonlySet<string>,
): Promise<TableState[]> {
  const reader = firstReader(snapshot);
  const states: TableState[] = [];
  for (const plan of plans) {
    const parts = kept.has(plan.source.name) ? [] : await splitTable(reader, request.source.database, plan.source);
    const state = createTableState(plan, parts);
    if (!kept.has(plan.source.name) && request.options.content !== "schema")
      state.merged = await countMerged(reader, request.source.database, plan);
    states.push(state);
  }
  for (const group of groups) {
    const members = states.filter(({ plan }) => group.includes(plan.source.name));
    for (const member of members) member.group = members;
  }
  return states;
}
