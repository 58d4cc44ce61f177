import { counted } from "../../guard/text.ts";
import type { CopyOptions, Verification } from "../contract/index.ts";
import type { Session } from "../mysql/driver/session.ts";
import { isOurs } from "../mysql/fence/drop.ts";
import type { MysqlFence } from "../mysql/fence/fence.ts";
import { lookUp } from "../mysql/fence/identity.ts";
import { isShapeMark } from "../mysql/fence/others-work.ts";
import { isOwnRowsMark, ownRows, refuseOthersRows } from "../mysql/fence/own-rows.ts";
import { type FinishedMark, markOf } from "./fence/finished-marks.ts";
import { verifiedEqual } from "./verified-tables.ts";

/** Tables that an earlier attempt of the same owner finished in a MySQL target: which of them a new attempt keeps. */

export interface ResumedTarget {
  session: Session;
  fence: MysqlFence;
  content: NonNullable<CopyOptions["content"]>;
  /** options.drop. */
  drop: readonly string[];
  log(message: string): void;
}

/** A finished table whose plan is the same and that is in the target as it was left. */
export interface KeptCandidate<Plan> {
  /** Made anew at each call: plans of ten thousand tables are never in memory together. */
  plan(): Plan;
  earlier: FinishedMark;
  /** In the report and the log. */
  label: string;
  compared: string;
  /** In the target. */
  name: string;
}

export interface KeptTables<Plan> {
  equal: KeptCandidate<Plan>[];
  /** Labels. */
  copiedAgain: string[];
  /** Whether the fence is to keep a mark, or what it knows of an object. */
  part(part: string): boolean;
  object(kind: string, name: readonly string[]): boolean;
}

/**
 * Keeps the candidates whose values are equal to the source's. `finished`: the labels of all tables that were finished.
 * Errors: `target_not_empty`, where others' rows are in one of the rest that existed before.
 */
export async function keepEqual<Plan>(
  { session, fence, content, drop, log }: ResumedTarget,
  candidates: readonly KeptCandidate<Plan>[],
  finished: readonly string[],
  compare: (plans: Iterable<Plan>) => Promise<Verification>,
): Promise<KeptTables<Plan>> {
  if (candidates.length > 0)
    log(`Comparing ${counted(candidates.length, "table")} of an earlier attempt with the source`);
  const verified = await verifiedEqual(
    candidates.map(({ compared }) => compared),
    () => compare(plansOf(candidates)),
  );
  const equal = candidates.filter(({ compared }) => verified.has(compared));
  const labels = new Set(equal.map(({ label }) => label));
  const marks = new Set(equal.map(({ earlier }) => markOf(earlier)));
  const names = new Set(equal.map(({ name }) => name));
  const copiedAgain = finished.filter((label) => !labels.has(label));
  if (content === "data") {
    // Tables into which an earlier attempt put rows, or was about to.
    const begun = (await fence.made()).flatMap(({ kind, name }) => (kind === "rows" ? [name] : []));
    const rest = begun.filter(([, name = ""]) => !names.has(name));
    await refuseOthersRows(session, rest, ownRows(await fence.parts()), drop);
  }
  for (const label of labels)
    log(`table ${label} was finished by an earlier attempt and is equal to the source: it is kept`);
  for (const label of copiedAgain)
    log(
      `table ${label} was finished by an earlier attempt, but is not verified as equal to the source: it is copied again`,
    );
  const isKept = (name: string) => names.has(name);
  return {
    equal,
    copiedAgain,
    part: (part) => marks.has(part) || isShapeMark(part, isKept) || isOwnRowsMark(part, isKept),
    object: (kind, [, name = ""]) => (kind === "table" || kind === "rows") && names.has(name),
  };
}

/** Whether the table that an earlier attempt filled is still the same one. */
export async function isFilledByUs(
  { session, fence }: ResumedTarget,
  name: readonly [string, string],
): Promise<boolean> {
  const rows = { kind: "rows", name: [...name] };
  const [found, known] = [await lookUp(session, rows), await fence.adopt(session, rows)];
  return found !== undefined && known !== undefined && isOurs(session, known.object, known.proofs, found);
}

function* plansOf<Plan>(candidates: readonly KeptCandidate<Plan>[]): Generator<Plan> {
  for (const candidate of candidates) yield candidate.plan();
}
