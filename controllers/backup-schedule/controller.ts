import { isDeepStrictEqual } from "node:util";
import {
  alreadyExists,
  assertLeads,
  type Client,
  ClusterError,
  type Informer,
  type Recorder,
} from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import { type BackupRun, partsFinalizer } from "../../src/resources/backup/run.ts";
import type { BackupSchedule, ScheduleStatus } from "../../src/resources/backup/schedule.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { managers } from "../jobs/managers.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { createReplaced, untilSeen } from "../runtime/replaced.ts";
import { decide } from "./decide.ts";
import { type Act, isOver, type Observed, type Plan, type ScheduleSettings } from "./observed.ts";

/** The effects of the BackupSchedule's reconciler: makes and deletes runs as `decide` says, saves the status once. */
export interface BackupScheduleController {
  /** One pass over the schedule of this key (`BackupSchedule:namespace/name`). */
  reconcile(key: string): Promise<Passed>;
  /** To be called for every change of a BackupRun that the cache sees; returns the keys to look at. */
  runChanged(run: BackupRun): string[];
}

interface BackupScheduleControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  recorder: Recorder;
  caches: {
    schedules: Informer<BackupSchedule>;
    /** By namespace and schedule. */
    runs: Informer<BackupRun>;
    restores: Informer<Restore>;
  };
  settings: ScheduleSettings;
  now: () => Date;
}

export const scheduleKey = ({ metadata }: { metadata: { namespace?: string; name: string } }): string =>
  `BackupSchedule:${metadata.namespace}/${metadata.name}`;

export function createBackupScheduleController(options: BackupScheduleControllerOptions): BackupScheduleController {
  const { client, caches, now, settings } = options;

  const mayAct = () => assertLeads(options.leads);
  const replaced = createReplaced();

  /** Whether somebody restores the run. */
  const isRestored = (namespace: string, run: string): boolean => {
    for (const restore of caches.restores.all()) {
      const { metadata, spec } = restore;
      const isOfRun = metadata.namespace === namespace && spec.backupRun === run && !spec.verification;
      if (isOfRun && !isOver(restore)) return true;
    }
    return false;
  };

  async function makeRun({ metadata }: BackupSchedule, slot: number, name: string): Promise<Observed["made"]> {
    const { namespace, uid, labels: marks } = metadata;
    const account = marks?.[labels.account];
    mayAct();
    try {
      await client.create(kinds.backupRuns, {
        apiVersion,
        kind: "BackupRun",
        metadata: {
          ...{ name, namespace },
          labels: { [labels.scheduleUid]: uid, ...(account ? { [labels.account]: account } : {}) },
          // Or the run's reconciler would add it, by a request of its own.
          finalizers: [partsFinalizer],
        },
        spec: { schedule: metadata.name, slot: new Date(slot).toISOString(), trigger: "Schedule" },
      } as unknown as BackupRun);
      return { slot, outcome: "made", name };
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
    // From a pass whose status was lost, or of an earlier schedule of this name.
    const found = await client.get(kinds.backupRuns, namespace, name);
    if (found === undefined) throw new ClusterError("Conflict", 409, "the BackupRun is gone");
    const ours = found.metadata.labels?.[labels.scheduleUid] === uid;
    return { slot, outcome: ours ? "made" : "taken", name };
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { schedule } = observed;
    const { namespace, name, uid, resourceVersion } = schedule.metadata;
    switch (act.kind) {
      case "make-run": {
        const made = await makeRun(schedule, act.slot, act.name);
        return made ? { ...observed, made } : observed;
      }
      case "delete-run":
        // A later pass does it, when the restore has ended.
        if (isRestored(namespace, act.name)) return observed;
        mayAct();
        await client.remove(kinds.backupRuns, namespace, act.name, act.uid);
        return observed;
      case "verify-run": {
        mayAct();
        await client.mergePatch(kinds.backupRuns, namespace, act.name, { spec: { verifications: act.verifications } });
        return observed;
      }
      case "set-finalizers": {
        mayAct();
        const patch = { metadata: { uid, resourceVersion, finalizers: act.finalizers } };
        return { ...observed, schedule: await client.mergePatch(kinds.backupSchedules, namespace, name, patch) };
      }
    }
  }

  async function save(schedule: BackupSchedule, next: ScheduleStatus): Promise<void> {
    const { metadata, status } = schedule;
    if (isDeepStrictEqual(status ?? {}, next)) return;
    const { name, namespace, uid, resourceVersion } = metadata;
    mayAct();
    const saved = { metadata: { name, namespace, uid, resourceVersion }, status: next };
    replaced.wrote(schedule, await client.applyStatus(kinds.backupSchedules, saved, managers.controller));
  }

  async function pass(schedule: BackupSchedule): Promise<Passed> {
    const { namespace, uid, name } = schedule.metadata;
    const since = Date.parse(schedule.metadata.creationTimestamp);
    // One on request, made by hand, has no label, and an earlier schedule of this name may have kept it.
    const isOfSchedule = ({ metadata, status }: BackupRun) => {
      const of = metadata.labels?.[labels.scheduleUid] ?? status?.scheduleUid;
      return of === undefined ? Date.parse(metadata.creationTimestamp) >= since : of === uid;
    };
    const runs = caches.runs.by(`${namespace}/${name}`).filter(isOfSchedule);
    let observed: Observed = { schedule, runs };
    let plan: Plan = decide(observed, settings, now());
    for (const act of plan.acts) observed = await perform(act, observed);
    const isGone = schedule.metadata.deletionTimestamp !== undefined;
    if (isGone && plan.acts.some(({ kind }) => kind === "set-finalizers")) return {};
    // The cache brings the run, and with it this key: the slot and its run are saved at once then.
    if (observed.made?.outcome === "made") return { lookAgain: untilSeen };
    if (observed.made !== undefined) plan = decide(observed, settings, now());
    if (!isGone) await save(observed.schedule, plan.status);
    for (const event of plan.events)
      options.recorder.record({ ...schedule, apiVersion, kind: "BackupSchedule" }, event);
    const { lookAgain, isDue = false } = plan;
    return lookAgain === undefined ? {} : { lookAgain, isDue };
  }

  return {
    async reconcile(key) {
      const [namespace = "", name = ""] = key.slice(key.indexOf(":") + 1).split("/");
      const schedule = caches.schedules.get(namespace, name);
      if (schedule === undefined) return {};
      return replaced.has(schedule) ? { lookAgain: untilSeen } : unlessOutdated(() => pass(schedule));
    },
    runChanged: ({ metadata, spec }) =>
      spec.schedule === undefined ? [] : [scheduleKey({ metadata: { ...metadata, name: spec.schedule } })],
  };
}
