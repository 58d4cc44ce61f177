import { isDeepStrictEqual } from "node:util";
import {
  ClusterError,
  type Informer,
  type Job,
  type KubeObject,
  kinds,
  type Pod,
  type Recorder,
} from "../../src/cluster/index.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { WorkerPart } from "../../src/resources/worker.ts";
import { candidateKey } from "../jobs/candidate.ts";
import { managers } from "../jobs/managers.ts";
import type { Slot } from "../jobs/observed.ts";
import { reasonFromEvents } from "../pods/from-events.ts";
import type { PerformerOptions } from "../pods/performer.ts";
import { createSilences } from "../pods/silence.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import type { Queue } from "../runtime/queue.ts";
import { candidateOf } from "./candidate.ts";
import { decide } from "./decide.ts";
import { createHistory } from "./history.ts";
import { memoryOfNext, secretsOf } from "./job.ts";
import type { Observed } from "./observed.ts";
import { createPerformer } from "./perform.ts";
import type { Plan } from "./plan.ts";
import { isRunning, isWaiting } from "./run.ts";
import { controllerPart, forNextRun, hasEta, withoutEta, workerPart } from "./status.ts";

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

interface MigrationControllerOptions extends PerformerOptions {
  recorder: Recorder;
  caches: { migrations: Informer<Migration>; jobs: Informer<Job>; pods: Informer<Pod> };
  /** Milliseconds that a sealed URL is kept after the end. */
  urlsKept: number;
  /** Milliseconds after its end when a Migration that does not say it is deleted; never without. */
  finishedKept?: number | undefined;
  /** Finished Migrations that each namespace keeps; 0: any. */
  historyLimit: number;
  isBillingOff: boolean;
  /** Told of runs that start and end. */
  counts?: {
    started(waited: number): void;
    ended(run: { failure: string | undefined; took: number; bytes: number; rows: number }): void;
  };
  /** Parts that `spec.worker` of a Migration may have. */
  allowedParts: readonly WorkerPart[];
}

/** Rounds of deciding and acting in one pass; more would be a fault in `decide`. */
const rounds = 5;

export const migrationKey = (object: { metadata: { name: string; namespace?: string } }): string =>
  `${object.metadata.namespace}/${object.metadata.name}`;

export function createMigrationController(options: MigrationControllerOptions): MigrationController {
  const { client, caches, slots, now } = options;
  const history = createHistory(options.historyLimit);
  history.seed(caches.migrations.all());

  /** The version that a pass over one that waits has written, by uid: the cache's news of it needs no pass. */
  const written = new Map<string, string>();

  const { mayAct, perform } = createPerformer(options);

  const silentAfter = () => options.template().silentSeconds * 1000;
  const silences = createSilences(silentAfter);

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
    // Of these the cache keeps all that counts here, and the save is refused if it is behind.
    if (change === "settled" && !hasEta(migration)) return undefined;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.metadata.resourceVersion !== resourceVersion)
      throw new ClusterError("Conflict", 409, "the Migration changed");
    const before = workerPart(live?.status);
    const after = change === "settled" ? withoutEta(before) : forNextRun(before, change);
    return isDeepStrictEqual(before, after) ? undefined : after;
  }

  async function pass(migration: Migration): Promise<Passed> {
    const { uid } = migration.metadata;
    const jobs = caches.jobs.by(uid);
    const pods = caches.pods.by(uid);
    const { state, job, heardAt, run: number, result } = migration.status ?? {};
    const isOver = state === "completed" || state === "failed" || (result !== undefined && result.run === number);
    const run = { recorded: job?.uid, isOver, jobs, pods, secrets: secretsOf(migration), now: now() };
    const trouble = await reasonFromEvents(client, run);
    const waits = isWaiting(migration);
    const made = waits ? slots.refusal(candidateOf(migration), now().getTime()) : undefined;
    const slot: Slot = waits && made === undefined ? slots.look(uid) : { free: true };
    const { urlsKept, finishedKept, isBillingOff, allowedParts } = options;
    let observed: Observed = {
      migration,
      jobs,
      pods,
      slot,
      urlsKept,
      allowedParts,
      finishedKept,
      isSurplus: history.isSurplus(migration),
      isBillingOff,
      silence: silences.of(uid, pods, job?.uid, heardAt),
      silentAfter: silentAfter(),
      memoryOfNext: memoryOfNext(migration, options.template()),
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
    const isStuck = observed.slot.free && plan.status.state === "pending" && plan.status.job === undefined;
    const others = isStuck && slots.cannot(uid) ? slots.next().map(candidateKey) : [];
    if (observed.isRemoved !== true) await save(observed.migration, plan);
    count(migration, plan);
    for (const event of events) options.recorder.record({ ...migration, apiVersion, kind: "Migration" }, event);
    return { others, ...(plan.lookAgain === undefined ? {} : { lookAgain: plan.lookAgain }) };
  }

  /** What a pass has saved, once: a pass whose save is refused counts nothing. */
  function count({ metadata, status: before }: Migration, { status }: Plan): void {
    const at = now().getTime();
    if (status.job !== undefined && status.job.uid !== before?.job?.uid)
      options.counts?.started(at - Date.parse(status.queuedAt ?? metadata.creationTimestamp));
    const wasOver = before?.state === "completed" || before?.state === "failed";
    const isOver = status.state === "completed" || status.state === "failed";
    if (!isOver || (wasOver && before?.run === status.run)) return;
    const failed = status.conditions?.find(({ type, status: holds }) => type === "Failed" && holds === "True");
    options.counts?.ended({
      failure: failed?.reason,
      took: at - Date.parse(status.startedAt ?? metadata.creationTimestamp),
      bytes: before?.size ?? 0,
      rows: before?.report?.rows ?? 0,
    });
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
      return [...(isOwn ? [] : [migrationKey(object)]), ...freed(before, after), ...history.changed(before, after)];
    },
    lookAtAll(queue) {
      for (const candidate of slots.next()) queue.add(candidateKey(candidate));
      for (const migration of caches.migrations.all())
        queue.add(migrationKey(migration), isRunning(migration) ? "soon" : "look");
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
