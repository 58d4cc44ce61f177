import * as z from "zod";

/**
 * What an assessment found before a copy: of `rowferry assess`, of REST's preflight, and bounded in a Migration's
 * status. The engine's Assessment has this shape.
 */

const finding = z.object({
  severity: z
    .enum(["blocker", "warning", "note"])
    .describe(
      "`blocker`: the copy would fail; `warning`: something is lost or weaker; `note`: something is different.",
    ),
  code: z.string().describe("Stable name of the finding, in snake_case."),
  object: z.string().describe("The object as the source calls it, or the server's setting or right."),
  reason: z.string().describe("The object that it is about."),
  fix: z.string().describe("The fix; empty if nothing needs to be done."),
});

const server = z.object({
  engine: z.string().describe("MySQL, MariaDB or PostgreSQL."),
  version: z.string().describe("Its version."),
});

export const neededMemorySchema = z
  .object({
    heap: z.int().min(0).describe("Bytes of the worker's heap."),
    container: z.int().min(0).describe("Bytes of its container."),
  })
  .describe("Memory that the copy needs, by the number of the source's tables and columns.");

export const assessmentSchema = z.object({
  type: z.enum(["transfer", "conversion"]).describe("Same engine, or across engines."),
  assessedAt: z.string().describe("When."),
  ready: z.boolean().describe("No blocker was found."),
  source: server
    .extend({
      size: z.number().describe("Bytes, by the server's statistics."),
      tables: z.number().describe("Tables that are to be copied."),
      rows: z.number().describe("By the server's statistics."),
    })
    .describe("The source."),
  target: server
    .extend({
      empty: z.boolean().describe("Nothing of a user's is in it."),
      free: z.number().nullable().describe("Free bytes of its disk, where the server tells."),
      drops: z
        .object({
          tables: z.number().describe("Number of existing tables that are dropped or emptied."),
          rows: z.number().describe("Their rows; an estimate where there are many."),
        })
        .optional()
        .describe("The loss in the target by the option `drop`."),
    })
    .describe("The target."),
  memory: neededMemorySchema.optional(),
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
  estimate: z
    .object({
      seconds: z
        .object({ least: z.number().describe("At best."), most: z.number().describe("At worst.") })
        .describe("The range in which the copy should end, without waiting for locks."),
      basis: z.string().describe("The basis of the estimate, in words."),
      latencyMs: z
        .object({
          source: z.number().describe("To the source."),
          target: z.number().describe("To the target."),
        })
        .describe("Milliseconds of a round trip."),
    })
    .describe("How long the copy may take."),
  /** What was read beside the catalogues and settings, by name. */
  samples: z.array(z.string()),
});

export type AssessmentDocument = z.infer<typeof assessmentSchema>;

/** The part that a Migration's status keeps: the worst findings first, cut so that it has at most 4 KB as JSON. */
export const boundedAssessmentSchema = assessmentSchema
  .pick({ type: true, assessedAt: true, ready: true, source: true, target: true, estimate: true, memory: true })
  .extend({
    findings: z.array(finding).describe("The worst first; at most 4 KB."),
    counts: z
      .object({
        blockers: z.number().describe("Findings that would make the copy fail."),
        warnings: z.number().describe("Findings by which something is lost or weaker."),
        notes: z.number().describe("Findings by which something is different."),
        copied: z.number().describe("Objects that are copied as they are."),
        converted: z.number().describe("Objects that are converted."),
        reported: z.number().describe("Objects that are not copied or are changed."),
      })
      .describe("How many there are of each, also of those that do not fit."),
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

export function assessmentCounts({ findings, objects }: AssessmentDocument): BoundedAssessment["counts"] {
  const severe = (severity: string) => findings.filter((one) => one.severity === severity).length;
  const became = (outcome: string) => objects.filter((one) => one.outcome === outcome).length;
  return {
    blockers: severe("blocker"),
    warnings: severe("warning"),
    notes: severe("note"),
    copied: became("copied"),
    converted: became("converted"),
    reported: became("reported"),
  };
}

export function boundAssessment(assessment: AssessmentDocument): BoundedAssessment {
  const { type, assessedAt, ready, source, target, estimate, memory, findings } = assessment;
  const order = { blocker: 0, warning: 1, note: 2 };
  const bounded: BoundedAssessment = {
    type,
    assessedAt,
    ready,
    source: { ...source, engine: cut(source.engine), version: cut(source.version) },
    target: { ...target, engine: cut(target.engine), version: cut(target.version) },
    estimate: { ...estimate, basis: cut(estimate.basis) },
    ...(memory === undefined ? {} : { memory }),
    findings: [],
    counts: assessmentCounts(assessment),
  };
  let left = mostBytes - size(bounded);
  for (const one of [...findings].sort((a, b) => order[a.severity] - order[b.severity])) {
    const short = { ...one, object: cut(one.object), reason: cut(one.reason), fix: cut(one.fix) };
    left -= size(short) + 1;
    if (left < 0) break;
    bounded.findings.push(short);
  }
  return bounded;
}
