import { isDeepStrictEqual } from "node:util";
import {
  alreadyExists,
  type Client,
  ClusterError,
  type Informer,
  isRefusal,
  type Job,
  type KubeObject,
  type Pod,
  type Recorder,
} from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { type Kind, kinds } from "../../src/resources/objects.ts";
import { candidateKey } from "../jobs/candidate.ts";
import { managers } from "../jobs/managers.ts";
import type { Made, Slot } from "../jobs/observed.ts";
import type { Slots } from "../jobs/slots.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { troubleFromEvents } from "../pods/from-events.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { decide } from "./decide.ts";
import { removalJob, removalName, runJobName, secretsOf, subjectJob, type Used } from "./job.ts";
import { restoreNeeds, runNeeds } from "./needs.ts";
import { type Act, isRun, type Needs, type Observed, type Plan } from "./observed.ts";
import { controllerPart } from "./status.ts";
import { candidateOf, isDeleting, isOver, keyOf, type Subject } from "./subject.ts";

/** The effects of the reconciler of BackupRuns and Restores: does what `decide` says, saves the status once. */
export interface BackupRunController {
  /** One pass over the object of this key (`BackupRun:namespace/name`). */
  reconcile(key: string): Promise<Passed>;
  /** To be called for every change of a BackupRun or Restore that the cache sees; returns the keys to look at. */
  subjectChanged(before: Subject | undefined, after: Subject | undefined): string[];
  /** Likewise for a Job or a pod. */
  childChanged(object: KubeObject): string[];
}

export interface BackupRunControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  recorder: Recorder;
  caches: {
    runs: Informer<BackupRun>;
    /** By the uid of the run that they verify. */
    restores: Informer<Restore>;
    schedules: Informer<BackupSchedule>;
    jobs: Informer<Job>;
    pods: Informer<Pod>;
  };
  template: () => WorkerTemplate;
  /** Shared by all that run as Jobs. */
  slots: Slots;
  /** Whether the installation has a storage for runs of this namespace. */
  hasStorage(namespace: string): boolean;
  /** Milliseconds that a Restore's sealed URL is kept after the end. */
  urlsKept: number;
  now: () => Date;
}

/** Rounds of deciding and acting in one pass; more would be a fault in `decide`. */
const rounds = 6;

const kindOf = (subject: Subject): Kind<Subject> =>
  (isRun(subject) ? kinds.backupRuns : kinds.restores) as Kind<Subject>;

export function createBackupRunController(options: BackupRunControllerOptions): BackupRunController {
  const { client, caches, slots, now } = options;

  function mayAct(): void {
    if (!options.leads()) throw new ClusterError("NotLeader", 0, "this process is not the leader any more");
  }

  /** The BackupSchedule of a run, the BackupRun of a restore. */
  interface Named {
    schedule(namespace: string, name: string): BackupSchedule | undefined;
    run(namespace: string, name: string): BackupRun | undefined;
  }

  const cached: Named = {
    schedule: (namespace, name) => caches.schedules.get(namespace, name),
    run: (namespace, name) => caches.runs.get(namespace, name),
  };

  /** As the API server has it now. */
  async function live({ metadata: { namespace }, spec }: Subject): Promise<Named> {
    const run = "backupRun" in spec ? await client.get(kinds.backupRuns, namespace, spec.backupRun) : undefined;
    const name = "schedule" in spec ? spec.schedule : undefined;
    const schedule = name === undefined ? undefined : await client.get(kinds.backupSchedules, namespace, name);
    return { schedule: () => schedule, run: () => run };
  }

  /** What it uses, and what `decide` needs to know of that. A run that lacks something fails for good, and the cache may be behind: looks twice. */
  async function needsOf(subject: Subject): Promise<{ needs: Needs; used: Used }> {
    const found = needsBy(cached, subject);
    return "missing" in found.needs && candidateOf(subject).isWaiting ? needsBy(await live(subject), subject) : found;
  }

  function needsBy(named: Named, subject: Subject): { needs: Needs; used: Used } {
    const { namespace } = subject.metadata;
    if (isRun(subject)) {
      const { schedule: name } = subject.spec;
      const schedule = name === undefined ? undefined : named.schedule(namespace, name);
      const found = runNeeds(subject, schedule, options.hasStorage(namespace));
      if ("missing" in found) return { needs: found, used: {} };
      const { source, storage, encryption } = found.plan;
      return {
        needs: { ...(storage ? { storage } : {}), ...(encryption ? { encryption } : {}) },
        used: { source, storage },
      };
    }
    const run = named.run(namespace, subject.spec.backupRun);
    const found = restoreNeeds(subject, run, options.template().verify.images);
    return "missing" in found ? { needs: found, used: {} } : { needs: {}, used: found.used };
  }

  /** Makes a Job, or adopts the one of this name that a pass made whose status was lost. */
  async function make(subject: Subject, name: string, job: () => object): Promise<Made> {
    const { namespace, uid } = subject.metadata;
    mayAct();
    try {
      const made = await client.create(kinds.jobs, job() as Job);
      return { outcome: "made", name: made.metadata.name, uid: made.metadata.uid ?? "" };
    } catch (error) {
      if (isRefusal(error)) return { outcome: "refused", message: error.message };
      if (!alreadyExists(error)) throw error;
    }
    const found = await client.get(kinds.jobs, namespace, name);
    if (!found || found.metadata.deletionTimestamp) throw new ClusterError("Conflict", 409, "the Job is being deleted");
    const ours = found.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.apiVersion === apiVersion);
    return ours ? { outcome: "made", name, uid: found.metadata.uid ?? "" } : { outcome: "taken", name };
  }

  /** The cache may be behind what another leader did: what this pass saw must still be so at the API server. */
  async function confirm(subject: Subject): Promise<void> {
    mayAct();
    const { namespace, name, uid } = subject.metadata;
    const live = await client.get(kindOf(subject), namespace, name);
    const { job, state } = subject.status ?? {};
    if (
      live?.metadata.uid !== uid ||
      isDeleting(live) !== isDeleting(subject) ||
      live.status?.job?.uid !== job?.uid ||
      live.status?.state !== state
    )
      throw new ClusterError("Conflict", 409, `the ${subject.kind} changed`);
  }

  async function makeJob(subject: Subject): Promise<Made> {
    await confirm(subject);
    const { used } = await needsOf(subject);
    return make(subject, runJobName(subject), () => subjectJob(subject, used, options.template()));
  }

  async function makeProof(run: BackupRun, name: string): Promise<void> {
    const { namespace, uid, labels: marks } = run.metadata;
    const identities = run.status?.encryption?.identities;
    const account = marks?.[labels.account];
    mayAct();
    await client
      .create(kinds.restores, {
        apiVersion,
        kind: "Restore",
        metadata: {
          ...{ name, namespace },
          labels: { [labels.ownerUid]: uid, ...(account ? { [labels.account]: account } : {}) },
          ownerReferences: [{ apiVersion, kind: "BackupRun", name: run.metadata.name, uid, controller: true }],
        },
        spec: { backupRun: run.metadata.name, proof: true, ...(identities ? { identities } : {}) },
      } as unknown as Restore)
      .catch((error: unknown) => {
        if (!alreadyExists(error)) throw error;
      });
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { subject } = observed;
    const { namespace, name, uid, resourceVersion } = subject.metadata;
    switch (act.kind) {
      case "make-job": {
        slots.starts(uid, 1);
        try {
          const made = await makeJob(subject);
          if (made.outcome !== "made") slots.refused(candidateOf(subject), made, now().getTime());
          return { ...observed, made };
        } catch (error) {
          slots.failed(uid);
          throw error;
        }
      }
      case "make-removal": {
        if (!isRun(subject)) return observed;
        const made = await make(subject, removalName(name), () => removalJob(subject, options.template()));
        const ends = made.outcome === "refused" && /because it is being terminated/.test(made.message);
        return { ...observed, removal: ends ? { outcome: "namespace-ends" } : made };
      }
      case "make-proof": {
        if (isRun(subject)) await makeProof(subject, act.name);
        // The cache brings the Restore, and with it this key.
        throw new ClusterError("Conflict", 409, "the Restore is not seen yet");
      }
      case "delete-job":
        await confirm(subject);
        mayAct();
        await client.remove(kinds.jobs, namespace, act.name, act.uid);
        return { ...observed, jobs: observed.jobs.filter((job) => job.metadata.uid !== act.uid) };
      case "confirm-gone": {
        const live = await client.get(kinds.jobs, namespace, act.name);
        return live?.metadata.uid === act.uid
          ? { ...observed, jobs: [...observed.jobs, live] }
          : { ...observed, confirmedGone: true };
      }
      case "set-finalizers": {
        mayAct();
        const patch = { metadata: { uid, resourceVersion, finalizers: act.finalizers } };
        return { ...observed, subject: await client.mergePatch(kindOf(subject), namespace, name, patch) };
      }
      case "expire-url": {
        mayAct();
        const patch = { metadata: { uid, resourceVersion }, spec: { target: { sealedUrl: expiredUrl } } };
        return { ...observed, subject: await client.mergePatch(kindOf(subject), namespace, name, patch) };
      }
    }
  }

  async function save(subject: Subject, plan: Plan): Promise<void> {
    if (isDeepStrictEqual(controllerPart(subject.status), plan.status)) return;
    const { name, namespace, uid, resourceVersion } = subject.metadata;
    mayAct();
    const metadata = { name, namespace, uid, resourceVersion };
    await client.applyStatus(kindOf(subject), { metadata, status: plan.status }, managers.controller);
  }

  async function pass(subject: Subject): Promise<Passed> {
    const { uid } = subject.metadata;
    const jobs = caches.jobs.by(uid);
    const pods = caches.pods.by(uid);
    const candidate = candidateOf(subject);
    const { needs, used } = await needsOf(subject);
    const recorded = subject.status?.job?.uid;
    const run = { recorded, isOver: isOver(subject), jobs, pods, secrets: secretsOf(subject, used), now: now() };
    const trouble = await troubleFromEvents(client, run);
    const made = candidate.isWaiting ? slots.refusal(candidate, now().getTime()) : undefined;
    const slot: Slot = candidate.isWaiting && made === undefined ? slots.look(uid) : { free: true };
    const proofs = isRun(subject) ? caches.restores.by(uid) : [];
    let observed: Observed = {
      ...{ subject, jobs, pods, slot, needs, proofs, urlsKept: options.urlsKept },
      ...(trouble ? { trouble } : {}),
      ...(made ? { made } : {}),
    };
    let plan = decide(observed, now());
    for (let round = 0; plan.act !== undefined; round += 1) {
      if (round === rounds) throw new ClusterError("Loop", 0, `a pass did not end: ${plan.act.kind}`);
      const { act } = plan;
      observed = await perform(act, observed);
      // The last finalizer is off: nothing is left to save to.
      if (act.kind === "set-finalizers" && isDeleting(subject)) return {};
      plan = decide(observed, now());
    }
    const isStuck = slot.free && plan.status.state === "pending" && plan.status.job === undefined;
    const others = isStuck && slots.cannot(uid) ? slots.next().map(candidateKey) : [];
    await save(observed.subject, plan);
    for (const event of plan.events)
      await options.recorder.record({ ...subject, apiVersion, kind: subject.kind }, event);
    return { others, ...(plan.lookAgain === undefined ? {} : { lookAgain: plan.lookAgain }) };
  }

  /** Those that a slot, just freed, may let start. */
  function freed(before: Subject | undefined, after: Subject | undefined): string[] {
    if (before === undefined || !candidateOf(before).isRunning) return [];
    if (after !== undefined && candidateOf(after).isRunning) return [];
    return slots.next().map(candidateKey);
  }

  return {
    async reconcile(key) {
      const [kind = "", path = ""] = key.split(":");
      const [namespace = "", name = ""] = path.split("/");
      const cache: Informer<Subject> = kind === "BackupRun" ? caches.runs : caches.restores;
      const found = cache.get(namespace, name);
      if (!found) return {};
      const subject = { ...found, kind } as Subject;
      return unlessOutdated(() => pass(subject));
    },
    subjectChanged(before, after) {
      const object = after ?? before;
      if (!object) return [];
      slots.changed(before && candidateOf(before), after && candidateOf(after));
      // A proof's end is noted in its run.
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "BackupRun");
      const run = owner ? [keyOf({ kind: "BackupRun", metadata: { ...object.metadata, name: owner.name } })] : [];
      return [keyOf(object), ...run, ...freed(before, after)];
    },
    childChanged({ metadata }) {
      const [kind, name] = metadata.annotations?.[labels.owner]?.split("/") ?? [];
      return kind === undefined || name === undefined ? [] : [keyOf({ kind, metadata: { ...metadata, name } })];
    },
  };
}
