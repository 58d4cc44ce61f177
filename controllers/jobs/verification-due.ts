import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";

const day = 86_400_000;
/** A weekly verification may come this much early, so that a run a few minutes before the week is over is taken. */
const slack = 12 * 3_600_000;

/** Whether the schedule's policy wants the next completed run to be verified. `now`: milliseconds since 1970. Pure. */
export function isVerificationDue(
  policy: BackupSchedule["spec"]["verification"]["policy"],
  last: { at: string; outcome: string } | undefined,
  now: number,
): boolean {
  if (policy !== "Weekly") return policy === "EachRun";
  return last?.outcome !== "verified" || now - Date.parse(last.at) >= 7 * day - slack;
}
