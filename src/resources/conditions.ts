import * as z from "zod";

/** A Kubernetes condition (metav1.Condition): a fact about a resource with a named reason and a sentence. */
export const conditionSchema = z.object({
  type: z
    .string()
    .max(316)
    .describe("Type, as Complete or Ready: the description of `conditions` names those of this kind."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  observedGeneration: z.int().min(0).optional().describe("metadata.generation of the spec that it was found for."),
  lastTransitionTime: z.iso.datetime().describe("When the status changed last."),
  reason: z.string().min(1).max(1024).describe("Why, as one word in CamelCase; docs/operations.md lists them."),
  message: z.string().max(2048).describe("Why, as a sentence that a person can act on."),
});

export type Condition = z.infer<typeof conditionSchema>;

/** What a condition says, before it is stamped with time and generation. */
export type ConditionFinding = Pick<Condition, "type" | "status" | "reason" | "message">;

/**
 * The next list of conditions: each finding replaces the one of its type; `lastTransitionTime` moves only
 * when the status does (as Kubernetes' own conditions do). Types that are not found anew are kept.
 */
export function withConditions(
  before: readonly Condition[],
  findings: readonly ConditionFinding[],
  generation: number,
  now: string,
): Condition[] {
  const next = new Map(before.map((condition) => [condition.type, condition]));
  for (const finding of findings) {
    const old = next.get(finding.type);
    const lastTransitionTime = old?.status === finding.status ? old.lastTransitionTime : now;
    next.set(finding.type, {
      type: finding.type,
      status: finding.status,
      observedGeneration: generation,
      lastTransitionTime,
      reason: finding.reason,
      message: finding.message.slice(0, 2048),
    });
  }
  return [...next.values()];
}
