/** The API group and version of every Rowferry kind. */
export const group = "rowferry.dev";
export const version = "v1alpha1";
export const apiVersion = `${group}/${version}`;

/** Labels that Rowferry puts on what it makes. */
export const labels = {
  migration: `${group}/migration`,
  migrationUid: `${group}/migration-uid`,
  run: `${group}/run`,
  /** The owner's Account of an ApiToken; of a Migration that came through the API, the Account that made it. */
  account: `${group}/account`,
  /** On a worker's pod whose URLs came through the API: a team's network policy holds for it. */
  guarded: `${group}/guarded`,
  /** Of a BackupRun: its BackupSchedule's uid. */
  scheduleUid: `${group}/schedule-uid`,
  /** On the Jobs and pods of a BackupRun or Restore, its uid. */
  ownerUid: `${group}/owner-uid`,
  /** Annotation there: its kind and name, `BackupRun/nightly-202611240300`. */
  owner: `${group}/owner`,
  /** On a team's namespace and what the operator makes in it: the Team. */
  team: `${group}/team`,
} as const;

/**
 * Annotation of a Migration with names of its two servers, as JSON: {"source": …, "target": …}. The API writes keyed digests of host and port;
 * elsewhere it is any text. Runs that name the same server share its limit.
 */
export const serversAnnotation = `${group}/servers`;

/** Labels of Kueue that a Migration's Job takes from it. The first names the queue that lets the Job start. */
export const kueueLabels = { queue: "kueue.x-k8s.io/queue-name", priority: "kueue.x-k8s.io/priority-class" } as const;
