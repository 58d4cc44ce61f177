import { createHash } from "node:crypto";
import { type Client, kinds, type Pod } from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { dueRun } from "../../src/resources/run.ts";
import { type PodIdentity, TokenRefused, type TokenReviewer } from "./tokens/identity.ts";

/**
 * Who a worker is: its token names a pod, the pod its Job, and the Job must be the one that the Migration's status records for
 * its current run. The review of a token is remembered for a minute; pod and Migration are read live each time. Whoever may
 * create pods in a namespace may read its Secrets anyway, so that a pod there which names the Job is believed.
 * In a team's namespace the chart's admission policy rowferry-workers keeps everybody else from making such a pod.
 */
export type EndpointCaller = { pod: Pod } & (
  | { kind: "Migration"; object: Migration }
  | { kind: "BackupRun"; object: BackupRun; isRemoval: boolean }
  | { kind: "Restore"; object: Restore }
);

/** 401: not a worker's token; 409: not, or no longer, the current run's pod; 503: not known yet, ask again. */
export class EndpointRefusal extends Error {
  readonly status: 401 | 409 | 503;
  readonly code: string;
  constructor(status: EndpointRefusal["status"], code: string, message: string) {
    super(message);
    this.name = "EndpointRefusal";
    this.status = status;
    this.code = code;
  }
}

const remember = 60_000;
const most = 1000;

export interface Authoriser {
  /** Whose token it is; remembered for a minute. */
  identify(token: string): Promise<PodIdentity>;
  /** The pod and its owner, read live, if the pod is the current run's. */
  admit(identity: PodIdentity): Promise<EndpointCaller>;
}

/** `review` verifies a token. `backups`: whether the installation has them; without, their kinds are not read. */
export function createAuthoriser({
  client,
  review,
  now,
  backups,
}: {
  client: Client;
  review: TokenReviewer;
  now: () => number;
  backups: boolean;
}): Authoriser {
  /** By the token's hash. Refused tokens are not remembered, so that a mistake heals at once. */
  const known = new Map<string, { identity: PodIdentity; until: number }>();

  async function identify(token: string): Promise<PodIdentity> {
    const hash = createHash("sha256").update(token).digest("base64");
    const seen = known.get(hash);
    if (seen && seen.until > now()) return seen.identity;
    known.delete(hash);
    const identity = await review(token).catch((error: unknown) => {
      throw error instanceof TokenRefused ? new EndpointRefusal(401, "token_refused", error.message) : error;
    });
    known.set(hash, { identity, until: now() + remember });
    for (const old of known.keys()) {
      if (known.size <= most) break;
      known.delete(old);
    }
    return identity;
  }

  async function admit(identity: PodIdentity): Promise<EndpointCaller> {
    const pod = await client.get(kinds.pods, identity.namespace, identity.pod);
    if (pod?.metadata.uid !== identity.podUid) throw stale("the pod does not exist any more");
    // Its successor may be at work: what it said on its way must not be taken for the last word.
    if (hasEnded(pod)) throw stale("the pod has ended");
    const jobUid = pod.metadata.ownerReferences?.find((owner) => owner.kind === "Job" && owner.controller)?.uid;
    if (!jobUid) throw stale("the pod is not a Job's");
    return !backups || pod.metadata.annotations?.[labels.owner] === undefined
      ? ofMigration(identity, pod, jobUid)
      : ofBackup(identity, pod, jobUid);
  }

  async function ofMigration(identity: PodIdentity, pod: Pod, jobUid: string): Promise<EndpointCaller> {
    const name = pod.metadata.annotations?.[labels.migration];
    const uid = pod.metadata.labels?.[labels.migrationUid];
    const run = Number(pod.metadata.labels?.[labels.run]);
    if (!name || !uid) throw stale("the pod is not a Migration's");
    const migration = await client.get(kinds.migrations, identity.namespace, name);
    if (migration?.metadata.uid !== uid || migration.metadata.deletionTimestamp !== undefined)
      throw stale("the Migration does not exist any more");
    const { status, spec } = migration;
    if (status?.job?.uid !== jobUid) {
      // The Job was made a moment ago, and the status that records it is not written yet.
      if (status?.job === undefined && run === (status?.run ?? dueRun(migration).run) && !isOver(migration))
        throw new EndpointRefusal(503, "not_recorded", "the run's Job is not recorded yet");
      throw stale("another Job is the Migration's current one");
    }
    if (run !== status.run) throw stale("another run is the current one");
    if (spec.reset > (status.reset ?? 0)) throw stale("the Migration is being reset");
    return { pod, kind: "Migration", object: migration };
  }

  async function ofBackup(identity: PodIdentity, pod: Pod, jobUid: string): Promise<EndpointCaller> {
    const [kind, name = ""] = pod.metadata.annotations?.[labels.owner]?.split("/") ?? [];
    const uid = pod.metadata.labels?.[labels.ownerUid];
    const of = kind === "BackupRun" ? kinds.backupRuns : kind === "Restore" ? kinds.restores : undefined;
    const object = of && (await client.get<BackupRun | Restore>(of, identity.namespace, name));
    if (object === undefined || object.metadata.uid !== uid) throw stale("the pod's owner does not exist any more");
    const { status, metadata } = object;
    if (object.kind === "BackupRun" && object.status?.removal?.uid === jobUid)
      return { pod, kind: "BackupRun", object, isRemoval: true };
    const isEnded = status?.state === "completed" || status?.state === "failed";
    if (status?.job?.uid !== jobUid || isEnded || metadata.deletionTimestamp !== undefined) {
      // The Job was made a moment ago, and the status that records it is not written yet.
      if (status?.job === undefined || (object.kind === "BackupRun" && (isEnded || metadata.deletionTimestamp)))
        throw isRecent(pod, now)
          ? new EndpointRefusal(503, "not_recorded", "the Job is not recorded yet")
          : stale("it has ended");
      throw stale("it has ended, or another Job is its current one");
    }
    return object.kind === "BackupRun"
      ? { pod, kind: "BackupRun", object, isRemoval: false }
      : { pod, kind: "Restore", object };
  }

  return { identify, admit };
}

const stale = (why: string) => new EndpointRefusal(409, "not_current", why);

const hasEnded = ({ status }: Pod): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";

/** Milliseconds in which the status records a Job after it was made. */
const recording = 30_000;
const isRecent = ({ metadata }: Pod, now: () => number): boolean =>
  now() - Date.parse(metadata.creationTimestamp ?? "") < recording;

const isOver = ({ status }: Migration) => status?.state === "completed" || status?.state === "failed";
