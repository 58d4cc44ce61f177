import { cut, numberText } from "../guard/text.ts";
import type { Assessed } from "../requests/prober.ts";
import { type AssessmentDocument, assessmentCounts } from "../resources/assessment.ts";
import { largestResponse, longestText } from "./protocol.ts";

/**
 * An assessment as a caller gets it: every finding and object as long as a server stays within reason, and bounded where one does
 * not. What is left out is counted in a finding.
 */

const mostObjects = 5000;
const mostFindings = 1000;
const longestName = 300;
const longestNote = 500;
/** With room for what stands around it. */
const mostBytes = largestResponse - 64 * 1024;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** As many from the begin as fit into `left` bytes. */
function fitting<T>(list: readonly T[], most: number, left: number): { kept: T[]; bytes: number } {
  const kept: T[] = [];
  let bytes = 0;
  for (const one of list) {
    const size = sizeOf(one);
    if (kept.length === most || bytes + size > left) break;
    kept.push(one);
    bytes += size;
  }
  return { kept, bytes };
}

/** What a reader looks for stays first in line: what is not copied, then whole objects before their parts. */
function rank({ kind, outcome }: Pick<AssessmentDocument["objects"][number], "kind" | "outcome">): number {
  if (outcome === "reported") return 0;
  return parts.has(kind) ? 2 : 1;
}

const parts = new Set(["column", "index", "constraint"]);

export function boundedAssessment(assessment: AssessmentDocument): Omit<Assessed, "size"> {
  const { findings, objects, samples, source, target, estimate } = assessment;
  const told = fitting(
    findings.map(({ severity, code, object, reason, fix }) => ({
      severity,
      code: cut(code, 64),
      object: cut(object, longestName * 2),
      reason: cut(reason, longestText),
      fix: cut(fix, longestText),
    })),
    mostFindings,
    mostBytes / 2,
  );
  const short = objects.map(({ kind, name, outcome, note }) => ({
    kind: cut(kind, 64),
    name: cut(name, longestName),
    outcome,
    ...(note === undefined ? {} : { note: cut(note, longestNote) }),
  }));
  const left = mostBytes - told.bytes;
  const whole = fitting(short, mostObjects, left);
  const listed =
    whole.kept.length === short.length
      ? whole
      : fitting(
          short.toSorted((a, b) => rank(a) - rank(b)),
          mostObjects,
          left,
        );
  const counts = [
    { what: "findings", more: findings.length - told.kept.length },
    { what: "objects", more: objects.length - listed.kept.length },
  ].filter(({ more }) => more > 0);
  const bounded = {
    ...assessment,
    source: { ...source, engine: cut(source.engine, 64), version: cut(source.version, 200) },
    target: { ...target, engine: cut(target.engine, 64), version: cut(target.version, 200) },
    estimate: { ...estimate, basis: cut(estimate.basis, longestText) },
    findings: [
      ...told.kept,
      ...counts.map(({ what, more }) => ({
        severity: "note" as const,
        code: `${what}_cut`,
        object: what,
        reason: `${numberText(more)} more are not listed here`,
        fix: "rowferry assess lists them all",
      })),
    ],
    objects: listed.kept,
    samples: samples.slice(0, 20).map((sample) => cut(sample, longestText)),
  };
  return { assessment: bounded, counts: assessmentCounts(assessment) };
}
