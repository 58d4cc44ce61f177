import { alreadyExists, assertLeads, ClusterError, type Job } from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { type Kind, kinds } from "../../src/resources/objects.ts";
import type { JobCreation } from "../jobs/observed.ts";
import { createJob } from "../pods/create-job.ts";
import { confirmGone, type Performer, type PerformerOptions, startJob } from "../pods/performer.ts";
import { endSilent, requireSilent } from "../pods/silence.ts";
import type { FindNeeds } from "./find-needs.ts";
import { removalJob, subjectJob } from "./job.ts";
import { type Act, isRun, type Observed } from "./observed.ts";
import { candidateOf, isDeleting, type Subject } from "./subject.ts";
import { isVerificationOf } from "./verification.ts";

export const resourceKind = (subject: Subject): Kind<Subject> =>
  (isRun(subject) ? kinds.backupRuns : kinds.restores) as Kind<Subject>;

/** What it needs is missing, as `needs` says. */
class Missing extends Error {}

export function createPerformer(options: PerformerOptions, findNeeds: FindNeeds): Performer<Act, Observed> {
  const { client, leads, template } = options;
  const mayAct = () => assertLeads(leads);

  /** The cache may be behind what another leader did: what this pass saw must still be so at the API server. */
  async function confirm(subject: Subject): Promise<Subject> {
    mayAct();
    const { namespace, name, uid } = subject.metadata;
    const live = await client.get(resourceKind(subject), namespace, name);
    const { job, state } = subject.status ?? {};
    if (
      live?.metadata.uid !== uid ||
      isDeleting(live) !== isDeleting(subject) ||
      live.status?.job?.uid !== job?.uid ||
      live.status?.state !== state
    )
      throw new ClusterError("Conflict", 409, `the ${subject.kind} changed`);
    return live;
  }

  /** What it starts with is recorded as it is at the API server: its schedule may have changed since the cache saw it. */
  async function makeJob(observed: Observed): Promise<Observed> {
    const { subject } = observed;
    let needs = observed.needs;
    const make = async (): Promise<JobCreation> => {
      await confirm(subject);
      const found = await findNeeds(subject, "live");
      needs = found.needs;
      if ("missing" in needs) throw new Missing();
      mayAct();
      return createJob(client, subject.metadata, subjectJob(subject, found.used, template()) as Job);
    };
    try {
      const started = await startJob(options, subject.metadata.uid, 1, { candidate: () => candidateOf(subject), make });
      return { ...observed, ...(needs ? { needs } : {}), ...started };
    } catch (error) {
      if (error instanceof Missing && needs) return { ...observed, needs };
      throw error;
    }
  }

  /** Answers whether it is made, by this pass or an earlier one; false: its name is another Restore's. */
  async function makeVerification(run: BackupRun, name: string): Promise<boolean> {
    const { namespace, uid, labels: marks } = run.metadata;
    const identities = run.status?.encryption?.identities;
    const account = marks?.[labels.account];
    mayAct();
    try {
      await client.create(kinds.restores, {
        apiVersion,
        kind: "Restore",
        metadata: {
          ...{ name, namespace },
          labels: { [labels.ownerUid]: uid, ...(account ? { [labels.account]: account } : {}) },
          ownerReferences: [{ apiVersion, kind: "BackupRun", name: run.metadata.name, uid, controller: true }],
        },
        spec: { backupRun: run.metadata.name, verification: true, ...(identities ? { identities } : {}) },
      } as unknown as Restore);
      return true;
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
    const live = await client.get(kinds.restores, namespace, name);
    return live === undefined || isVerificationOf(live, run);
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { subject } = observed;
    const { namespace, name, uid, resourceVersion } = subject.metadata;
    switch (act.kind) {
      case "make-job":
        return makeJob(observed);
      case "make-removal": {
        if (!isRun(subject)) return observed;
        mayAct();
        return {
          ...observed,
          removal: await createJob(client, subject.metadata, removalJob(subject, template()) as Job),
        };
      }
      case "make-verification": {
        if (isRun(subject) && !(await makeVerification(subject, act.name)))
          return { ...observed, verificationTaken: true };
        // The cache brings the Restore, and with it this key.
        throw new ClusterError("Conflict", 409, "the Restore is not seen yet");
      }
      case "delete-job":
        await confirm(subject);
        mayAct();
        await client.remove(kinds.jobs, namespace, act.name, act.uid);
        return { ...observed, jobs: observed.jobs.filter((job) => job.metadata.uid !== act.uid) };
      case "end-pod": {
        requireSilent(await confirm(subject), subject);
        mayAct();
        return { ...observed, ...(await endSilent(client, namespace, act, observed.silence?.for ?? 0)) };
      }
      case "confirm-gone":
        return confirmGone(options, namespace, act, observed);
      case "set-finalizers": {
        mayAct();
        const patch = { metadata: { uid, resourceVersion, finalizers: act.finalizers } };
        return { ...observed, subject: await client.mergePatch(resourceKind(subject), namespace, name, patch) };
      }
      case "expire-url": {
        mayAct();
        const patch = { metadata: { uid, resourceVersion }, spec: { target: { sealedUrl: expiredUrl } } };
        return { ...observed, subject: await client.mergePatch(resourceKind(subject), namespace, name, patch) };
      }
    }
  }

  return { mayAct, perform };
}
