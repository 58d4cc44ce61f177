import { createHash } from "node:crypto";

/** Names of children follow from their parent, so that a lost write is adopted on the next pass and never made twice. */

/** Longest name whose value also fits a label (Kubernetes puts a Job's name into its pods' labels). */
const longest = 63;

export function child(parent: string, suffix: string): string {
  const whole = `${parent}-${suffix}`;
  if (whole.length <= longest && !parent.includes(".")) return whole;
  // A dot would be legal in a Job's name but not in its pods' host names.
  const digest = createHash("sha256").update(parent).digest("hex").slice(0, 10);
  const room = longest - suffix.length - digest.length - 2;
  return `${parent.replaceAll(".", "-").slice(0, room).replace(/-+$/, "")}-${digest}-${suffix}`;
}

/** Name of a run's Job: `<owner>-<run>`, shortened with a hash where it would be too long or has dots. */
export const jobName = (owner: string, run: number): string => child(owner, String(run));

/** Name of the BackupRun of a slot: `<schedule>-<yyyymmddhhmm>` in UTC. */
export const runName = (schedule: string, slot: number): string =>
  `${schedule}-${new Date(slot).toISOString().replace(/\D/g, "").slice(0, 12)}`;
