import type { RunCode } from "../contract/codes/index.ts";
import { outcomesOf, type Plan, type PlannedObject, type PlanWarning } from "../plan/types.ts";

/** Something to know before a copy: `blocker` ends it, `warning` loses something, `note` changes something. */
export type Finding = {
  /** The object as the source calls it, or the server's setting or right. */
  object: string;
  reason: string;
  /** What to do about it; empty where nothing needs to be done. */
  fix: string;
} & (
  | { severity: "blocker"; code: RunCode }
  /** A code of the assessment alone: stable, in snake_case. */
  | { severity: "warning" | "note"; code: string }
);

type Severity = Finding["severity"];

/** A blocker's code is that with which a copy would end. */
export type ReportFinding = <Said extends Severity>(
  severity: Said,
  code: "blocker" extends Said ? RunCode : string,
  object: string,
  reason: string,
  fix?: string,
) => void;

/** Reports what a plan warns of. Its objects are the answer. */
export function reportPlan(plan: Plan, report: ReportFinding): PlannedObject[] {
  reportWarnings(plan.warnings, report);
  return [...outcomesOf(plan)];
}

export function reportWarnings(warnings: readonly PlanWarning[], report: ReportFinding): void {
  for (const { severity, code, object, reason, fix } of warnings) report(severity, code, object, reason, fix);
}

/** The reason with its object in front, unless the reason begins with it. */
export const findingText = ({ object, reason }: Pick<Finding, "object" | "reason">): string =>
  reason.startsWith(`${object} `) ? reason : `${object}: ${reason}`;
