/** What counts of an object for who may start: the same for Migrations, BackupRuns and Restores, which share the limits. */
export interface Candidate {
  kind: "Migration" | "BackupRun" | "Restore";
  name: string;
  namespace: string;
  uid: string;
  generation: number;
  /** The Account that made it, by its label. */
  account: string | undefined;
  /** A schedule started it, or it verifies a backup: nobody waits for it. */
  isScheduled: boolean;
  /** Names of its servers, where it has any. */
  servers?: { source?: string; target?: string };
  /** Takes a slot: its run has a Job and has not ended. */
  isRunning: boolean;
  /** Wants a slot: it has a run to do and no Job for it yet. */
  isWaiting: boolean;
  /** When it began to wait, in milliseconds, as its place in the line goes. */
  since: number;
  run: number;
  /** Whether the cache shows what came of this run. */
  isSeen(run: number): boolean;
}

/** The queue's key of a pass over it. */
export const candidateKey = ({ kind, namespace, name }: Pick<Candidate, "kind" | "namespace" | "name">): string =>
  kind === "Migration" ? `${namespace}/${name}` : `${kind}:${namespace}/${name}`;
