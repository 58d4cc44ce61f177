import type { Migration } from "./migration.ts";

/** A run of a Migration is `attempt + reset`, so that each rise of either makes a new one. */
interface Run {
  run: number;
  attempt: number;
  reset: number;
}

/** The run that is due: another one where the spec asks for it and the state allows it, else the present one. */
export function dueRun({
  spec,
  status,
}: Pick<Migration, "spec" | "status">): Run & { why: "first" | "retry" | "reset" | "present" } {
  const asked = { run: spec.attempt + spec.reset, attempt: spec.attempt, reset: spec.reset };
  if (status?.run === undefined || status.attempt === undefined || status.reset === undefined)
    return { ...asked, why: "first" };
  if (spec.reset > status.reset) return { ...asked, why: "reset" };
  if (spec.attempt > status.attempt && status.state === "failed") return { ...asked, why: "retry" };
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
