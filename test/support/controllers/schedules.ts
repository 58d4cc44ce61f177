import { decide } from "../../../controllers/backup-schedule/decide.ts";
import type { Observed, Plan, ScheduleSettings } from "../../../controllers/backup-schedule/observed.ts";
import { runName } from "../../../controllers/jobs/names.ts";
import type { BackupRun } from "../../../src/resources/backup/run.ts";
import type { BackupSchedule, ScheduleStatus } from "../../../src/resources/backup/schedule.ts";

/** Schedules and runs for the tests of `decide`, and a pass over them. */

export const at = (text: string) => new Date(text);

export function schedule(spec: object = {}, status?: ScheduleStatus, metadata: object = {}): BackupSchedule {
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "BackupSchedule",
    metadata: {
      ...{ name: "nightly", namespace: "team", uid: "0b5c", generation: 3, resourceVersion: "1" },
      ...{ creationTimestamp: "2026-11-01T00:00:00Z", ...metadata },
    },
    spec: {
      source: { secretRef: { name: "shop", key: "url" } },
      cron: "0 3 * * *",
      ...{ timeZone: "Etc/UTC", suspend: false, startingDeadlineSeconds: 3600, deletionPolicy: "Keep" as const },
      verification: { policy: "Never" as const, maxAgeDays: 10 },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export function run(slot: string, status: object = { state: "completed" }, spec: object = {}): BackupRun {
  const name = runName("nightly", Date.parse(slot));
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "BackupRun",
    metadata: {
      ...{ name, namespace: "team", uid: `uid-${name}`, generation: 1, resourceVersion: "1" },
      creationTimestamp: slot,
    },
    spec: { schedule: "nightly", slot, trigger: "Schedule", verifications: 0, ...spec },
    status: status as NonNullable<BackupRun["status"]>,
  };
}

export const settings: ScheduleSettings = { jitter: 0, expired: () => [] };
export const timing = "0 3 * * * Etc/UTC";
export const since = (lastSlot: string, more: object = {}): ScheduleStatus => ({ lastSlot, timing, ...more });
export const names = (plan: Plan, kind: string) =>
  plan.acts.flatMap((act) => (act.kind === kind && "name" in act ? [act.name] : []));
export const condition = (plan: Plan, type: string) => plan.status.conditions?.find((one) => one.type === type);

/** As the controller does: what is asked for is made, then it decides again. */
export function pass(observed: Observed, now: string, of: ScheduleSettings = settings): { made?: string; plan: Plan } {
  const plan = decide(observed, of, at(now));
  const act = plan.acts.find((one) => one.kind === "make-run");
  if (act?.kind !== "make-run") return { plan };
  const made = { slot: act.slot, outcome: "made" as const, name: act.name };
  return { made: act.name, plan: decide({ ...observed, made }, of, at(now)) };
}
