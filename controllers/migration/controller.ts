import { isDeepStrictEqual } from "node:util";
import {
  alreadyExists,
  type Client,
  ClusterError,
  type Informer,
  isRefusal,
  type Job,
  type KubeObject,
  kinds,
  type Pod,
  type Recorder,
} from "../../src/cluster/index.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { candidateKey } from "../jobs/candidate.ts";
import { managers } from "../jobs/managers.ts";
import { jobName } from "../jobs/names.ts";
import type { Made, Slot } from "../jobs/observed.ts";
import type { Slots } from "../jobs/slots.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { troubleFromEvents } from "../pods/from-events.ts";
import { createSilences, endPod } from "../pods/silence.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import type { Queue } from "../runtime/queue.ts";
import { candidateOf } from "./candidate.ts";
import { decide } from "./decide.ts";
import { claimFree } from "./free.ts";
import { buildJob, secretsOf, specHash, specHashAnnotation } from "./job.ts";
import type { Observed } from "./observed.ts";
import type { Act, Plan } from "./plan.ts";
import { isRunning, isWaiting } from "./run.ts";
import { controllerPart, forNextRun, settled, workerPart } from "./status.ts";

/** The effects of the Migration's reconciler: gathers what is there, does what `decide` says, saves the status once. */
export interface MigrationController {
  /** One pass over the Migration of this key (`namespace/name`). */
  reconcile(key: string): Promise<Passed>;
  /** To be told of every change of a Migration that the cache sees; answers the keys to look at. */
  migrationChanged(before: Migration | undefined, after: Migration | undefined): string[];
  /** Likewise of a Job or a pod. */
  childChanged(object: KubeObject): string[];
  /** Asks for a pass over each: first over those that may start now and those that run. */
  lookAtAll(queue: Pick<Queue, "add">): void;
}

export interface MigrationControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  recorder: Recorder;
  caches: { migrations: Informer<Migration>; jobs: Informer<Job>; pods: Informer<Pod> };
  template: () => WorkerTemplate;
  /** Shared by all that run as Jobs. */
  slots: Slots;
  /** Milliseconds that a sealed URL is kept after the end. */
  urlsKept: number;
  isBillingOff: boolean;
  now: () => Date;
}

/** Rounds of deciding and acting in one pass; more would be a fault in `decide`. */
const rounds = 5;

export const keyOf = (object: { metadata: { name: string; namespace?: string } }): string =>
  `${object.metadata.namespace}/${object.metadata.name}`;

export function createMigrationController(options: MigrationControllerOptions): MigrationController {
  const { client, caches, slots, now } = options;

  /** The version that a pass over one that waits has written, by uid: the cache's news of it needs no pass. */
  const written = new Map<string, string>();

  const silentAfter = () => options.template().silentSeconds * 1000;
  const silences = createSilences(silentAfter);

  function mayAct(): void {
    if (!options.leads()) throw new ClusterError("NotLeader", 0, "this process is not the leader any more");
  }

  /** The cache may be behind what another leader did: what this pass saw must still be so at the API server. */
  async function confirm({ metadata, status }: Migration): Promise<Migration> {
    mayAct();
    const live = await client.get(kinds.migrations, metadata.namespace, metadata.name);
    if (live?.metadata.uid !== metadata.uid || live.metadata.deletionTimestamp !== undefined)
      throw new ClusterError("Conflict", 409, "the Migration is gone");
    const seen = live.status;
    if (
      live.metadata.generation !== metadata.generation ||
      seen?.run !== status?.run ||
      seen?.job?.uid !== status?.job?.uid ||
      seen?.state !== status?.state
    )
      throw new ClusterError("Conflict", 409, "the Migration changed");
    return live;
  }

  async function makeJob(migration: Migration, run: number): Promise<Made> {
    await confirm(migration);
    const job = buildJob(migration, run, options.template());
    mayAct();
    try {
      const made = await client.create(kinds.jobs, job as Job);
      return { outcome: "made", name: made.metadata.name, uid: made.metadata.uid ?? "" };
    } catch (error) {
      if (alreadyExists(error)) return adopt(migration, run);
      if (isRefusal(error)) return { outcome: "refused", message: error.message };
      throw error;
    }
  }

  /** A Job of this name is there: ours from a pass whose status was lost, or somebody else's. */
  async function adopt(migration: Migration, run: number): Promise<Made> {
    const { namespace, uid } = migration.metadata;
    const name = jobName(migration.metadata.name, run);
    const found = await client.get(kinds.jobs, namespace, name);
    if (!found || found.metadata.deletionTimestamp) throw new ClusterError("Conflict", 409, "the Job is being deleted");
    const ours = found.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.apiVersion === apiVersion);
    if (!ours) return { outcome: "taken", name };
    if (found.metadata.annotations?.[specHashAnnotation] !== specHash(migration)) {
      // Made for a spec that was changed before the start was recorded.
      await client.remove(kinds.jobs, namespace, name, found.metadata.uid ?? "");
      throw new ClusterError("Conflict", 409, "the Job was made for an earlier spec");
    }
    return { outcome: "made", name, uid: found.metadata.uid ?? "" };
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { migration } = observed;
    const { namespace, uid } = migration.metadata;
    switch (act.kind) {
      case "make-job": {
        slots.starts(uid, act.run);
        try {
          const made = await makeJob(migration, act.run);
          if (made.outcome !== "made") slots.refused(candidateOf(migration), made, now().getTime());
          return { ...observed, made };
        } catch (error) {
          slots.failed(uid);
          throw error;
        }
      }
      case "delete-job":
        await confirm(migration);
        mayAct();
        await client.remove(kinds.jobs, namespace, act.name, act.uid);
        return { ...observed, jobs: observed.jobs.filter((job) => job.metadata.uid !== act.uid) };
      case "end-pod": {
        const live = await confirm(migration);
        if (live.status?.heardAt !== migration.status?.heardAt)
          throw new ClusterError("Conflict", 409, "the worker has spoken");
        mayAct();
        try {
          const ended = await endPod(client, namespace, act, observed.silence?.for ?? 0);
          return { ...observed, ended };
        } catch (error) {
          if (!(error instanceof ClusterError && error.code === "Forbidden")) throw error;
          return { ...observed, notEnded: error.message };
        }
      }
      case "confirm-gone": {
        const live = await client.get(kinds.jobs, namespace, act.name);
        return live?.metadata.uid === act.uid
          ? { ...observed, jobs: [...observed.jobs, live] }
          : { ...observed, confirmedGone: true };
      }
      case "confirm-idle": {
        const labelSelector = `${labels.migrationUid}=${uid}`;
        const pods = await client.list(kinds.pods, { namespace, labelSelector });
        return { ...observed, pods, confirmedIdle: true };
      }
      case "begin-free":
      case "use-free": {
        mayAct();
        const free = await claimFree(client, act, migration.metadata);
        return { ...observed, free };
      }
      case "expire-urls": {
        mayAct();
        const { name, resourceVersion } = migration.metadata;
        const spec = Object.fromEntries(act.of.map((side) => [side, { sealedUrl: expiredUrl }]));
        const patch = { metadata: { uid, resourceVersion }, spec };
        return { ...observed, migration: await client.mergePatch(kinds.migrations, namespace, name, patch) };
      }
    }
  }

  /** Saves both parts where they changed; each save carries the version that this pass saw, so that a pass on old sight is refused. */
  async function save(migration: Migration, plan: Plan): Promise<void> {
    const { name, namespace, uid } = migration.metadata;
    let { resourceVersion } = migration.metadata;
    const apply = async (status: object, manager: string) => {
      mayAct();
      const metadata = { name, namespace, uid, resourceVersion };
      const saved = await client.applyStatus(kinds.migrations, { metadata, status }, manager);
      resourceVersion = saved.metadata.resourceVersion ?? resourceVersion;
    };
    // Before the new run is recorded: progress of the old one must not be taken for its own.
    const worker = plan.worker === undefined ? undefined : await workerChange(migration, plan.worker);
    if (worker && plan.worker !== "settled") await apply(worker, managers.worker);
    if (!isDeepStrictEqual(controllerPart(migration.status), plan.status))
      await apply(plan.status, managers.controller);
    if (worker && plan.worker === "settled") await apply(worker, managers.worker);
    // Only its place has changed; it has asked to be looked at again.
    if (plan.status.queuePosition !== undefined && resourceVersion !== migration.metadata.resourceVersion)
      written.set(uid, resourceVersion);
  }

  /** The worker's part as it should be, from the live object, since the cache keeps only some of it; undefined if it is so. */
  async function workerChange(migration: Migration, change: NonNullable<Plan["worker"]>): Promise<object | undefined> {
    const { name, namespace, resourceVersion } = migration.metadata;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.metadata.resourceVersion !== resourceVersion)
      throw new ClusterError("Conflict", 409, "the Migration changed");
    const before = workerPart(live?.status);
    const after = change === "settled" ? settled(before) : forNextRun(before, change);
    return isDeepStrictEqual(before, after) ? undefined : after;
  }

  async function pass(migration: Migration): Promise<Passed> {
    const { uid } = migration.metadata;
    const jobs = caches.jobs.by(uid);
    const pods = caches.pods.by(uid);
    const { state, job, heardAt } = migration.status ?? {};
    const isOver = state === "completed" || state === "failed";
    const run = { recorded: job?.uid, isOver, jobs, pods, secrets: secretsOf(migration), now: now() };
    const trouble = await troubleFromEvents(client, run);
    const waits = isWaiting(migration);
    const made = waits ? slots.refusal(candidateOf(migration), now().getTime()) : undefined;
    const slot: Slot = waits && made === undefined ? slots.look(uid) : { free: true };
    const { urlsKept, isBillingOff } = options;
    let observed: Observed = {
      migration,
      jobs,
      pods,
      slot,
      urlsKept,
      isBillingOff,
      silence: silences.of(uid, pods, job?.uid, heardAt),
      silentAfter: silentAfter(),
      ...(trouble ? { trouble } : {}),
      ...(made ? { made } : {}),
    };
    const events: Plan["events"] = [];
    let plan = decide(observed, now());
    for (let round = 0; plan.act !== undefined; round += 1) {
      if (round === rounds) throw new ClusterError("Loop", 0, `a pass did not end: ${plan.act.kind}`);
      observed = await perform(plan.act, observed);
      plan = decide(observed, now());
    }
    events.push(...plan.events);
    const isStuck = slot.free && plan.status.state === "pending" && plan.status.job === undefined;
    const others = isStuck && slots.cannot(uid) ? slots.next().map(candidateKey) : [];
    await save(observed.migration, plan);
    for (const event of events) await options.recorder.record({ ...migration, apiVersion, kind: "Migration" }, event);
    return { others, ...(plan.lookAgain === undefined ? {} : { lookAgain: plan.lookAgain }) };
  }

  return {
    async reconcile(key) {
      const [namespace = "", name = ""] = key.split("/");
      const migration = caches.migrations.get(namespace, name);
      if (!migration || migration.metadata.deletionTimestamp !== undefined) return {};
      return unlessOutdated(() => pass(migration));
    },
    migrationChanged(before, after) {
      const object = after ?? before;
      if (!object) return [];
      slots.changed(before && candidateOf(before), after && candidateOf(after));
      const { uid, resourceVersion } = object.metadata;
      const isOwn = after !== undefined && written.get(uid) === resourceVersion;
      if (isOwn || after === undefined) written.delete(uid);
      if (after === undefined) silences.forget(uid);
      return [...(isOwn ? [] : [keyOf(object)]), ...freed(before, after)];
    },
    lookAtAll(queue) {
      for (const candidate of slots.next()) queue.add(candidateKey(candidate));
      for (const migration of caches.migrations.all())
        queue.add(keyOf(migration), isRunning(migration) ? "soon" : "look");
    },
    childChanged(object) {
      const owner = object.metadata.annotations?.[labels.migration];
      return owner === undefined ? [] : [`${object.metadata.namespace}/${owner}`];
    },
  };

  /** Those that a slot, just freed, may let start. */
  function freed(before: Migration | undefined, after: Migration | undefined): string[] {
    if (before === undefined || !isRunning(before) || (after !== undefined && isRunning(after))) return [];
    return slots.next().map(candidateKey);
  }
}
