import { group } from "./group.ts";
import type { Migration } from "./migration.ts";

/** A run of a Migration is `attempt + reset`, so that each rise of either makes a new one. */
interface Run {
  run: number;
  attempt: number;
  reset: number;
}

/** Annotation that counts as `spec.attempt` where it is higher: a spec that comes from Git stays as it is there. */
export const attemptAnnotation = `${group}/attempt`;

/** `spec.attempt` and `spec.reset` go no higher, and neither does the annotation. */
export const mostRuns = 1000;

type Asked = { metadata: Pick<Migration["metadata"], "annotations"> } & Pick<Migration, "spec">;

/** The annotation's number; `invalid` where it is none from 1 to 1000. */
export function annotatedAttempt({ metadata }: Pick<Asked, "metadata">): number | "invalid" | undefined {
  const text = metadata.annotations?.[attemptAnnotation];
  if (text === undefined) return undefined;
  const attempt = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return attempt >= 1 && attempt <= mostRuns ? attempt : "invalid";
}

/** The attempt that is asked for. */
export function attemptOf(asked: Asked): number {
  const annotated = annotatedAttempt(asked);
  return Math.max(asked.spec.attempt, typeof annotated === "number" ? annotated : 1);
}

/** The run that is due: another one where the spec or the annotation asks for it and the state allows it, else the present one. */
export function dueRun({
  metadata,
  spec,
  status,
}: Asked & Pick<Migration, "status">): Run & { why: "first" | "retry" | "reset" | "present" } {
  // The annotation can be lowered or removed: a run's number is never used again.
  const attempt = Math.max(attemptOf({ metadata, spec }), status?.attempt ?? 1);
  const asked = { run: attempt + spec.reset, attempt, reset: spec.reset };
  if (status?.run === undefined || status.attempt === undefined || status.reset === undefined)
    return { ...asked, why: "first" };
  if (spec.reset > status.reset) return { ...asked, why: "reset" };
  if (attempt > status.attempt && status.state === "failed") return { ...asked, why: "retry" };
  return { run: status.run, attempt: status.attempt, reset: status.reset, why: "present" };
}

/**
 * Whether nothing is to be paid before the run: nothing is charged, or the last checkout has its hold. Captured also counts: where a reset is no
 * longer covered by that, the API names another checkout with it.
 */
export function isPaid({ spec, status }: Pick<Migration, "spec" | "status">): boolean {
  if (spec.payment?.by !== "hold") return true;
  const paid = status?.payment;
  if (paid === undefined || paid.session !== spec.payment.checkout?.session) return false;
  return paid.state === "authorized" || paid.state === "captured";
}

/** Whether its last run is completed and paid for by the present checkout, which is not for a later run. */
export const isForCapture = ({ spec, status }: Pick<Migration, "spec" | "status">): boolean =>
  status?.state === "completed" && (status.run ?? 1) >= (spec.payment?.checkout?.run ?? 1);

/** Whether the copy of the present run is verified and its result stored; the state `completed` follows when the Job has ended. */
export const isVerified = ({ spec, status }: Pick<Migration, "spec" | "status">): boolean =>
  status?.result?.outcome === "completed" &&
  status.result.run === status.run &&
  status.result.run >= (spec.payment?.checkout?.run ?? 1);
