import { z } from "zod";

/**
 * What an assessment found before a copy: of `rowferry assess`, of REST's preflight, and bounded in a Migration's
 * status. The engine's Assessment has this shape.
 */

const finding = z.object({
  severity: z.enum(["blocker", "warning", "note"]),
  /** Stable, in snake_case. */
  code: z.string(),
  /** The object as the source calls it, or the server's setting or right. */
  object: z.string(),
  reason: z.string(),
  /** What to do about it; empty where nothing needs to be done. */
  mend: z.string(),
});

const server = z.object({ engine: z.string(), version: z.string() });

export const assessmentSchema = z.object({
  type: z.enum(["transfer", "conversion"]),
  assessedAt: z.string(),
  /** No blocker was found. */
  ready: z.boolean(),
  source: server.extend({
    /** Bytes, by the server's statistics. */
    size: z.number(),
    tables: z.number(),
    /** By the server's statistics. */
    rows: z.number(),
  }),
  target: server.extend({
    empty: z.boolean(),
    /** Free bytes, where the server tells. */
    free: z.number().nullable(),
  }),
  findings: z.array(finding),
  /** Every object of the source: what will become of it. */
  objects: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      outcome: z.enum(["copied", "converted", "reported", "not_applicable"]),
      note: z.string().optional(),
    }),
  ),
  estimate: z.object({
    /** The range in which the copy should end, without waiting for a limit or for locks. */
    seconds: z.object({ least: z.number(), most: z.number() }),
    /** In words: from what it was reckoned. */
    basis: z.string(),
    latencyMs: z.object({ source: z.number(), target: z.number() }),
  }),
  /** What was read beside the catalogues and settings, by name. */
  samples: z.array(z.string()),
});

export type AssessmentDocument = z.infer<typeof assessmentSchema>;

/** The part that a Migration's status keeps: the worst findings first, cut so that it has at most 4 KB as JSON. */
export const boundedAssessmentSchema = assessmentSchema
  .pick({ type: true, assessedAt: true, ready: true, source: true, target: true, estimate: true })
  .extend({
    findings: z.array(finding),
    /** How many there were of each, also of those that were cut away. */
    counts: z.object({
      blockers: z.number(),
      warnings: z.number(),
      notes: z.number(),
      copied: z.number(),
      converted: z.number(),
      reported: z.number(),
    }),
  });

export type BoundedAssessment = z.infer<typeof boundedAssessmentSchema>;

const mostBytes = 4096;
const longestText = 240;

const size = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Cuts at a character. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length <= longestText ? text : `${characters.slice(0, longestText - 1).join("")}…`;
}

export function boundAssessment(assessment: AssessmentDocument): BoundedAssessment {
  const { type, assessedAt, ready, source, target, estimate, findings, objects } = assessment;
  const order = { blocker: 0, warning: 1, note: 2 };
  const severe = (severity: keyof typeof order) => findings.filter((one) => one.severity === severity).length;
  const became = (outcome: string) => objects.filter((one) => one.outcome === outcome).length;
  const bounded: BoundedAssessment = {
    type,
    assessedAt,
    ready,
    source: { ...source, engine: cut(source.engine), version: cut(source.version) },
    target: { ...target, engine: cut(target.engine), version: cut(target.version) },
    estimate: { ...estimate, basis: cut(estimate.basis) },
    findings: [],
    counts: {
      blockers: severe("blocker"),
      warnings: severe("warning"),
      notes: severe("note"),
      copied: became("copied"),
      converted: became("converted"),
      reported: became("reported"),
    },
  };
  let left = mostBytes - size(bounded);
  for (const one of [...findings].sort((a, b) => order[a.severity] - order[b.severity])) {
    const short = { ...one, object: cut(one.object), reason: cut(one.reason), mend: cut(one.mend) };
    left -= size(short) + 1;
    if (left < 0) break;
    bounded.findings.push(short);
  }
  return bounded;
}
