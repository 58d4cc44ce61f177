import { isDeepStrictEqual } from "node:util";
import {
  ClusterError,
  type Informer,
  type Job,
  type KubeObject,
  type Pod,
  type Recorder,
} from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { candidateKey } from "../jobs/candidate.ts";
import { managers } from "../jobs/managers.ts";
import type { Slot } from "../jobs/observed.ts";
import type { NamedSecret } from "../jobs/state-reason.ts";
import { reasonFromEvents } from "../pods/from-events.ts";
import type { PerformerOptions } from "../pods/performer.ts";
import { createSilences } from "../pods/silence.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { createReplaced, untilSeen } from "../runtime/replaced.ts";
import { decide } from "./decide.ts";
import { createFindNeeds, type NeedsOptions } from "./find-needs.ts";
import { secretsOf, type Used } from "./job.ts";
import { isRun, type Observed, type Plan } from "./observed.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { createPerformer, resourceKind } from "./perform.ts";
import { controllerPart } from "./status.ts";
import { candidateOf, isDeleting, isOver, type Subject, subjectKey } from "./subject.ts";

/** The effects of the reconciler of BackupRuns and Restores: does what `decide` says, saves the status once. */
export interface BackupRunController {
  /** One pass over the object of this key (`BackupRun:namespace/name`). */
  reconcile(key: string): Promise<Passed>;
  /** To be called for every change of a BackupRun or Restore that the cache sees; returns the keys to look at. */
  subjectChanged(before: Subject | undefined, after: Subject | undefined): string[];
  /** Likewise for a Job or a pod. */
  childChanged(object: KubeObject): string[];
}

export interface BackupRunControllerOptions extends PerformerOptions, NeedsOptions {
  recorder: Recorder;
  caches: NeedsOptions["caches"] & {
    /** By the uid of the run that they verify. */
    restores: Informer<Restore>;
    jobs: Informer<Job>;
    pods: Informer<Pod>;
  };
  /** Milliseconds that a Restore's sealed URL is kept after the end. */
  urlsKept: number;
}

/** Rounds of deciding and acting in one pass; more would be a fault in `decide`. */
const rounds = 6;

/** The Job whose pod's start is of interest, with the Secrets of that pod: the one that removes the parts after the run's own. */
function podSoughtOf(subject: Subject, used: Used): { recorded: string | undefined; secrets: NamedSecret[] } {
  const { status } = subject;
  if (!isOver(subject) && !isDeleting(subject))
    return { recorded: status?.job?.uid, secrets: secretsOf(subject, used) };
  if (!isRun(subject)) return { recorded: undefined, secrets: [] };
  return { recorded: subject.status?.removal?.uid, secrets: secretsOf(subject, { storage: subject.status?.storage }) };
}

export function createBackupRunController(options: BackupRunControllerOptions): BackupRunController {
  const { client, caches, slots, now } = options;
  const findNeeds = createFindNeeds(options);
  const { mayAct, perform } = createPerformer(options, findNeeds);
  const replaced = createReplaced();
  const silences = createSilences(() => options.template().silentSeconds * 1000);
  const oneAtATime = createOneAtATime(caches.runs, slots);

  async function save(subject: Subject, plan: Plan): Promise<void> {
    if (isDeepStrictEqual(controllerPart(subject.status), plan.status)) return;
    const { name, namespace, uid, resourceVersion } = subject.metadata;
    mayAct();
    const metadata = { name, namespace, uid, resourceVersion };
    const applied = { metadata, status: plan.status };
    replaced.wrote(subject, await client.applyStatus(resourceKind(subject), applied, managers.controller));
  }

  async function pass(subject: Subject): Promise<Passed> {
    const { uid } = subject.metadata;
    const jobs = caches.jobs.by(uid);
    const pods = caches.pods.by(uid);
    const candidate = candidateOf(subject);
    const { needs, used } = await findNeeds(subject);
    const trouble = await reasonFromEvents(client, {
      ...podSoughtOf(subject, used),
      isOver: false,
      jobs,
      pods,
      now: now(),
    });
    const made = candidate.isWaiting ? slots.refusal(candidate, now().getTime()) : undefined;
    const slot: Slot = candidate.isWaiting && made === undefined ? slots.look(uid) : { free: true };
    const first = oneAtATime.first(subject);
    const proofs = isRun(subject) ? caches.restores.by(uid) : [];
    let observed: Observed = {
      ...{ subject, jobs, pods, slot, needs, proofs, urlsKept: options.urlsKept },
      silence: silences.of(uid, pods, subject.status?.job?.uid, subject.status?.heardAt),
      ...(trouble ? { trouble } : {}),
      ...(first ? { first } : {}),
      ...(made ? { made } : {}),
    };
    let plan = decide(observed, now());
    for (let round = 0; plan.act !== undefined; round += 1) {
      if (round === rounds) throw new ClusterError("Loop", 0, `a pass did not end: ${plan.act.kind}`);
      const { act } = plan;
      const before = observed.subject;
      observed = await perform(act, observed);
      replaced.wrote(before, observed.subject);
      // The last finalizer is off: nothing is left to save to.
      if (act.kind === "set-finalizers" && isDeleting(subject)) return {};
      plan = decide(observed, now());
    }
    const isStuck = observed.slot.free && plan.status.state === "pending" && plan.status.job === undefined;
    const others = isStuck && slots.cannot(uid) ? slots.next().map(candidateKey) : [];
    await save(observed.subject, plan);
    for (const event of plan.events) options.recorder.record({ ...subject, apiVersion, kind: subject.kind }, event);
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
      if (replaced.has(found)) return { lookAgain: untilSeen };
      const subject = { ...found, kind } as Subject;
      return unlessOutdated(() => pass(subject));
    },
    subjectChanged(before, after) {
      const object = after ?? before;
      if (!object) return [];
      if (after === undefined) {
        replaced.forget(object);
        silences.forget(object.metadata.uid);
      }
      slots.changed(before && candidateOf(before), after && candidateOf(after));
      // A verification's end is noted in its run.
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "BackupRun");
      const run = owner ? [subjectKey({ kind: "BackupRun", metadata: { ...object.metadata, name: owner.name } })] : [];
      return [subjectKey(object), ...run, ...oneAtATime.waited(before, after), ...freed(before, after)];
    },
    childChanged({ metadata }) {
      const [kind, name] = metadata.annotations?.[labels.owner]?.split("/") ?? [];
      return kind === undefined || name === undefined ? [] : [subjectKey({ kind, metadata: { ...metadata, name } })];
    },
  };
}
