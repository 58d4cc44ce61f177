import { createHash } from "node:crypto";
import { counted } from "../../../../guard/text.ts";
import type { CopyOptions, Verification } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { isOurs } from "../../../mysql/fence/drop.ts";
import { fenced, type MysqlFence } from "../../../mysql/fence/fence.ts";
import { lookUp } from "../../../mysql/fence/identity.ts";
import { isShapeMark } from "../../../mysql/fence/others-work.ts";
import { isOwnRowsMark, ownRows, refuseOthersRows } from "../../../mysql/fence/own-rows.ts";
import { reopenTable } from "../../../mysql/target/create.ts";
import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { markOf } from "../../../run/fence/finished-marks.ts";
import { verifiedEqual } from "../../../run/verified-tables.ts";
import { structureOf } from "../finish/read-back.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { ObservedTypes } from "./observed-types.ts";
import { dataWarnings } from "./report.ts";
import type { FinishedTable, TableState } from "./state.ts";
import { targetName } from "./target.ts";

export const observedTypesOf = ({ columns, brokenChecks }: FinishedTable): ObservedTypes => ({
  columns: new Map(columns),
  brokenChecks: new Set(brokenChecks),
});

/** Of all that decides what stands in the target and how its rows were made. */
const digestOf = (plan: TablePlan, content: string): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        content,
        plan.create(""),
        plan.comment,
        plan.select,
        plan.fields,
        plan.load.columns.map(({ name, value }) => [name, value?.("")]),
        [...plan.later, ...plan.functional].map(({ sql }) => sql),
      ]),
    )
    .digest("hex");

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
    digest: digestOf(state.plan, content),
    columns: [...state.observedTypes.columns],
    brokenChecks: [...state.observedTypes.brokenChecks],
    warnings: dataWarnings([state]),
  };
  await fenced(session, fence, () => fence.partDone(session, markOf(finished), state.counts.target));
}

export interface ResumeRequest {
  session: Session;
  fence: MysqlFence;
  content: NonNullable<CopyOptions["content"]>;
  finished: ReadonlyMap<string, FinishedTable>;
  /** options.drop. */
  drop: readonly string[];
  /** As a first attempt would have them. */
  states: readonly TableState[];
  /** The same table by what its data had taught. */
  replan(plan: TablePlan, observedTypes: ObservedTypes): TablePlan;
  compare(plans: readonly TablePlan[]): Promise<Verification>;
  log(message: string): void;
}

export interface ResumedTables {
  /** `schema.name`, as in the report. */
  kept: string[];
  copiedAgain: string[];
  /** Whether the fence is to keep a mark, or what it knows of an object. */
  part(part: string): boolean;
  object(kind: string, name: readonly string[]): boolean;
}

/**
 * Sets the plans and observedTypes of the tables that are kept, and marks their states so. Errors: `target_not_empty`, where
 * others' rows stand in one of the rest that was there before.
 */
export async function keepFinished(keeping: ResumeRequest): Promise<ResumedTables> {
  const { finished, states, log, content, session, fence } = keeping;
  const candidates: { state: TableState; plan: TablePlan; earlier: FinishedTable }[] = [];
  for (const state of states) {
    const earlier = finished.get(tableName(state.source));
    if (earlier === undefined) continue;
    const plan = keeping.replan(state.plan, observedTypesOf(earlier));
    if (digestOf(plan, content) !== earlier.digest || !(await isAsLeft(session, fence, plan, content))) continue;
    candidates.push({ state, plan, earlier });
  }
  if (candidates.length > 0)
    log(`Comparing ${counted(candidates.length, "table")} of an earlier attempt with the source`);
  const words = ({ source }: TablePlan) => printable(tableName(source));
  const equal = await verifiedEqual(
    candidates.map(({ plan }) => words(plan)),
    () => keeping.compare(candidates.map(({ plan }) => plan)),
  );
  const marks = new Set<string>();
  const names = new Set<string>();
  for (const { state, plan, earlier } of candidates) {
    if (!equal.has(words(plan))) continue;
    Object.assign(state, { plan, observedTypes: observedTypesOf(earlier), kept: earlier });
    marks.add(markOf(earlier));
    names.add(plan.name);
  }
  const again = states.filter(({ source, kept }) => finished.has(tableName(source)) && kept === undefined);
  // Tables into which an earlier attempt put rows, or was about to.
  const begun = (await fence.made()).flatMap(({ kind, name }) => (kind === "rows" ? [name] : []));
  if (content === "data")
    await refuseOthersRows(
      session,
      begun.filter(([, name = ""]) => !names.has(name)),
      ownRows(await fence.parts()),
      keeping.drop,
    );
  const kept = states.filter((state) => state.kept !== undefined);
  for (const { plan } of kept)
    log(`table ${words(plan)} was finished by an earlier attempt and is equal to the source: it is kept`);
  for (const { plan } of again)
    log(
      `table ${words(plan)} was finished by an earlier attempt, but is not verified as equal to the source: it is copied again`,
    );
  return {
    kept: kept.map(({ plan }) => words(plan)),
    copiedAgain: again.map(({ plan }) => words(plan)),
    part: (part) =>
      marks.has(part) || isShapeMark(part, (name) => names.has(name)) || isOwnRowsMark(part, (name) => names.has(name)),
    object: (kind, [, name]) => (kind === "table" || kind === "rows") && names.has(name ?? ""),
  };
}

async function isAsLeft(session: Session, fence: MysqlFence, plan: TablePlan, content: string): Promise<boolean> {
  if (content !== "data")
    return (await reopenTable(session, fence, targetName(plan))) && (await structureOf(session, [plan])).length === 0;
  const rows = { kind: "rows", name: [...targetName(plan)] };
  const [found, known] = [await lookUp(session, rows), await fence.adopt(session, rows)];
  return found !== undefined && known !== undefined && isOurs(session, known.object, known.proofs, found);
}
