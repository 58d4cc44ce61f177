import {
  type BackupRunController,
  type BackupRunControllerOptions,
  createBackupRunController,
} from "../../../controllers/backup-run/controller.ts";
import { candidateOf, type Subject, subjectKey } from "../../../controllers/backup-run/subject.ts";
import type { InstalledStorage } from "../../../controllers/backup-run/work.ts";
import {
  type BackupScheduleController,
  createBackupScheduleController,
  scheduleKey,
} from "../../../controllers/backup-schedule/controller.ts";
import type { ScheduleSettings } from "../../../controllers/backup-schedule/observed.ts";
import type { Candidate } from "../../../controllers/jobs/candidate.ts";
import { gauge, type Metric } from "../../../controllers/runtime/health.ts";
import type { Passed } from "../../../controllers/runtime/loop.ts";
import type { Lane, Queue } from "../../../controllers/runtime/queue.ts";
import { expiredRuns } from "../../backup/retention.ts";
import { type Connection, type Informer, startInformers } from "../../cluster/index.ts";
import type { Restore } from "../../resources/backup/restore.ts";
import type { BackupRun } from "../../resources/backup/run.ts";
import type { BackupSchedule } from "../../resources/backup/schedule.ts";
import { type Kind, type KubeObject, kinds } from "../../resources/objects.ts";
import { mountedCredentials } from "../../worker/credentials.ts";
import type { OperatorEnvironment } from "./config.ts";

/** The backups' part of the operator: caches, and the passes of one leader's term over schedules, runs and restores. */
export interface BackupControllers {
  caches: { schedules: Informer<BackupSchedule>; runs: Informer<BackupRun>; restores: Informer<Restore> };
  candidates(): Iterable<Candidate>;
  /** What is sealed in their specs, for the sealing keys that are to be kept. */
  sealed(): Iterable<string>;
  metrics(): Metric[];
  childChanged(object: KubeObject): void;
  /** Begins a term: everything is looked at once. `end` ends it. */
  begin(term: Term): { reconcile(key: string): Promise<Passed>; end(): void };
}

interface Term extends Omit<BackupRunControllerOptions, "caches" | "hasStorage" | "urlsKept"> {
  queue: Queue;
  caches: Pick<BackupRunControllerOptions["caches"], "jobs" | "pods">;
}

export function watchBackups(
  connection: Connection,
  common: { namespaces: string[]; resync: number; now: () => number; random: () => number; signal: AbortSignal },
  config: OperatorEnvironment,
  isTeam: (namespace: string) => boolean,
  problem: (what: string) => (error: unknown) => void,
): BackupControllers {
  let term: { queue: Queue; runs: BackupRunController; schedules: BackupScheduleController } | undefined;
  const add = (keys: readonly string[] | undefined, lane?: Lane) => {
    for (const key of keys ?? []) term?.queue.add(key, lane);
  };
  const watch = <T extends KubeObject>(
    kind: Kind<T>,
    changed: (before: T | undefined, after: T | undefined) => void,
    indexedBy: (object: T) => string | undefined = () => undefined,
  ): Informer<T> =>
    startInformers<T>(connection, {
      ...common,
      kind,
      // A list's items do not name their kind.
      trim: (object) => {
        const { managedFields: _fields, ...metadata } = object.metadata as T["metadata"] & { managedFields?: unknown };
        return { ...object, apiVersion: kind.apiVersion, kind: kind.kind, metadata };
      },
      ...{ changed, indexedBy },
      problem: problem(`watching ${kind.plural}`),
    });
  const caches = {
    schedules: watch(kinds.backupSchedules, (before, after) => {
      const object = after ?? before;
      if (object) add([scheduleKey(object)]);
    }),
    runs: watch(
      kinds.backupRuns,
      (before, after) => {
        add(term?.runs.subjectChanged(before, after));
        const run = after ?? before;
        // A slot that is due does not wait for the statuses of schedules whose runs have moved on.
        if (run) add(term?.schedules.runChanged(run), "again");
      },
      ({ metadata, spec }) => spec.schedule && `${metadata.namespace}/${spec.schedule}`,
    ),
    restores: watch(
      kinds.restores,
      (before, after) => add(term?.runs.subjectChanged(before, after)),
      ({ metadata }) => metadata.ownerReferences?.find(({ kind }) => kind === "BackupRun")?.uid,
    ),
  };
  const settings: ScheduleSettings = { jitter: config.ROWFERRY_BACKUP_JITTER_SECONDS * 1000, expired: expiredRuns };
  return {
    caches,
    *candidates() {
      for (const run of caches.runs.all()) yield candidateOf(run);
      for (const restore of caches.restores.all()) yield candidateOf(restore);
    },
    *sealed() {
      const parts = [
        ...[...caches.schedules.all()].flatMap(({ spec }) => [
          spec.source.sealedUrl,
          spec.storage?.bucket?.sealedCredentials,
        ]),
        ...[...caches.runs.all()].flatMap(({ spec, status }) => [
          spec.source?.sealedUrl,
          spec.storage?.bucket?.sealedCredentials,
          status?.storage?.bucket?.sealedCredentials,
        ]),
        ...[...caches.restores.all()].map(({ spec }) => spec.target?.sealedUrl),
      ];
      for (const part of parts) if (part !== undefined) yield part;
    },
    metrics: () => metricsOf(caches),
    childChanged: (object) => add(term?.runs.childChanged(object)),
    begin({ queue, ...options }) {
      const runs = createBackupRunController({
        ...options,
        caches: { ...options.caches, ...caches },
        hasStorage: (namespace) => config.ROWFERRY_BACKUP_BUCKET !== undefined && isTeam(namespace),
        urlsKept: config.ROWFERRY_SEALED_URL_DAYS * 86_400_000,
      });
      const { client, leads, recorder, now } = options;
      const schedules = createBackupScheduleController({ client, leads, recorder, caches, settings, now });
      term = { queue, runs, schedules };
      for (const schedule of caches.schedules.all()) queue.add(scheduleKey(schedule));
      for (const subject of [...caches.runs.all(), ...caches.restores.all()])
        queue.add(subjectKey(subject), laneAtBegin(subject));
      return {
        reconcile: (key) => (isScheduleKey(key) ? schedules : runs).reconcile(key),
        end: () => {
          term = undefined;
        },
      };
    },
  };
}

/** Of a term: first those that hold a slot, since others wait for it if they have ended meanwhile; last those that are known to have ended. */
export function laneAtBegin(subject: Subject): Lane {
  const { isRunning, isWaiting } = candidateOf(subject);
  return isRunning ? "soon" : isWaiting ? "again" : "look";
}

const isScheduleKey = (key: string): boolean => key.startsWith("BackupSchedule:");

/** Of keys of one queue: those of schedules, and those of runs and restores. A Migration's has no colon. */
export const backupKeys = [isScheduleKey, (key: string): boolean => key.includes(":")];

function metricsOf({ schedules, runs }: BackupControllers["caches"]): Metric[] {
  const all = [...schedules.all()];
  const holds = (type: string, status: string) =>
    all.filter(({ status: of }) => of?.conditions?.some((one) => one.type === type && one.status === status)).length;
  return [
    gauge("rowferry_backup_schedules", "BackupSchedules in the cache.", all.length),
    gauge("rowferry_backup_runs", "BackupRuns in the cache.", [...runs.all()].length),
    gauge(
      "rowferry_backup_schedules_overdue",
      "BackupSchedules whose last completed run is too old.",
      holds("Overdue", "True"),
    ),
    gauge(
      "rowferry_backup_schedules_unverified",
      "BackupSchedules whose last verification failed or is too old.",
      holds("Verified", "False"),
    ),
    gauge(
      "rowferry_backup_missed_slots",
      "Slots that were missed, of all BackupSchedules that exist.",
      all.reduce((sum, { status }) => sum + (status?.missed ?? 0), 0),
    ),
  ];
}

/** The installation's storage, from the settings; undefined: it has none. */
export function installedStorage({
  ROWFERRY_BACKUP_BUCKET: bucket,
  ROWFERRY_BACKUP_CREDENTIALS: folder,
}: OperatorEnvironment): InstalledStorage | undefined {
  return bucket && { bucket, credentials: () => mountedCredentials(folder) };
}
