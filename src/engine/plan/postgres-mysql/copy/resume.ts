import type { Verification } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { fenced, type MysqlFence } from "../../../mysql/fence/fence.ts";
import { reopenTable } from "../../../mysql/target/create.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { digestOf, markOf } from "../../../run/fence/finished-marks.ts";
import {
  isFilledByUs,
  type KeptCandidate,
  type KeptTables,
  keepEqual,
  type ResumedTarget,
} from "../../../run/kept-tables.ts";
import { structureOf } from "../finish/read-back.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { ObservedTypes } from "./observed-types.ts";
import { dataWarnings } from "./report.ts";
import type { FinishedTable, Replan, TableState } from "./state.ts";
import { targetName } from "./target.ts";

const observedTypesOf = ({ columns, brokenChecks }: FinishedTable): ObservedTypes => ({
  columns: new Map(columns),
  brokenChecks: new Set(brokenChecks),
});

/** Of all that decides what stands in the target and how its rows were made. */
const planDigest = (plan: TablePlan, content: string): string =>
  digestOf([
    content,
    plan.create(""),
    plan.comment,
    plan.select,
    plan.fields,
    plan.load.columns.map(({ name, value }) => [name, value?.("")]),
    [...plan.later, ...plan.functional].map(({ sql }) => sql),
  ]);

/** Marks a table whose rows are there and counted. */
export async function markFinished(
  session: Session,
  fence: MysqlFence,
  state: TableState,
  content: string,
): Promise<void> {
  const finished: FinishedTable = {
    table: tableName(state.source),
    name: state.plan.name,
    digest: planDigest(state.plan, content),
    columns: [...state.observedTypes.columns],
    brokenChecks: [...state.observedTypes.brokenChecks],
    warnings: dataWarnings([state]),
  };
  await fenced(session, fence, () => fence.partDone(session, markOf(finished), state.counts.target));
}

interface ResumeRequest extends ResumedTarget {
  finished: ReadonlyMap<string, FinishedTable>;
  /** As a first attempt would have them. */
  states: readonly TableState[];
  replan: Replan;
  compare(plans: Iterable<TablePlan>): Promise<Verification>;
}

export type ResumedTables = Omit<KeptTables<TablePlan>, "equal"> & {
  /** `schema.name`, as in the report. */
  kept: string[];
};

/** Sets the plans and observed types of the tables that are kept, and marks their states so. */
export async function keepFinished(keeping: ResumeRequest): Promise<ResumedTables> {
  const { finished, states, content } = keeping;
  const candidates: KeptCandidate<TablePlan>[] = [];
  const labelOf = (table: TableDefinition) => printable(tableName(table));
  for (const state of states) {
    const { source } = state;
    const earlier = finished.get(tableName(source));
    if (earlier === undefined) continue;
    const replanned = () => keeping.replan(state.plan, observedTypesOf(earlier));
    const plan = replanned();
    if (planDigest(plan, content) !== earlier.digest || !(await isAsLeft(keeping, plan))) continue;
    const label = labelOf(source);
    candidates.push({ plan: replanned, earlier, label, compared: label, name: plan.name });
  }
  const known = states.flatMap(({ source }) => (finished.has(tableName(source)) ? [labelOf(source)] : []));
  const { equal, ...rest } = await keepEqual(keeping, candidates, known, keeping.compare);
  const kept = new Set(equal.map(({ label }) => label));
  for (const state of states) {
    const earlier = finished.get(tableName(state.source));
    if (earlier !== undefined && kept.has(labelOf(state.source)))
      state.keep(earlier, observedTypesOf(earlier), keeping.replan);
  }
  return { ...rest, kept: equal.map(({ label }) => label) };
}

async function isAsLeft(keeping: ResumeRequest, plan: TablePlan): Promise<boolean> {
  const { session, fence, content } = keeping;
  if (content === "data") return isFilledByUs(keeping, targetName(plan));
  return (await reopenTable(session, fence, targetName(plan))) && (await structureOf(session, [plan])).length === 0;
}
