import { assertLeads, ClusterError, type Job, kinds } from "../../src/cluster/index.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { JobCreation } from "../jobs/observed.ts";
import { createJob } from "../pods/create-job.ts";
import { confirmGone, type Performer, type PerformerOptions, startJob } from "../pods/performer.ts";
import { endSilent, requireSilent } from "../pods/silence.ts";
import { candidateOf } from "./candidate.ts";
import { claimFree } from "./free.ts";
import { buildJob, specHash, specHashAnnotation } from "./job.ts";
import type { Observed } from "./observed.ts";
import type { Act } from "./plan.ts";

export function createPerformer(options: PerformerOptions): Performer<Act, Observed> {
  const { client, leads, template } = options;
  const mayAct = () => assertLeads(leads);

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

  async function makeJob(migration: Migration, run: number): Promise<JobCreation> {
    await confirm(migration);
    const job = buildJob(migration, run, template());
    mayAct();
    return createJob(client, migration.metadata, job as Job, async (found) => {
      if (found.metadata.annotations?.[specHashAnnotation] === specHash(migration)) return;
      // Made for a spec that was changed before the start was recorded.
      await client.remove(kinds.jobs, found.metadata.namespace ?? "", found.metadata.name, found.metadata.uid ?? "");
      throw new ClusterError("Conflict", 409, "the Job was made for an earlier spec");
    });
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { migration } = observed;
    const { namespace, uid } = migration.metadata;
    switch (act.kind) {
      case "make-job": {
        const started = await startJob(options, uid, act.run, {
          candidate: () => candidateOf(migration),
          make: () => makeJob(migration, act.run),
        });
        return { ...observed, ...started };
      }
      case "delete-job":
        await confirm(migration);
        mayAct();
        await client.remove(kinds.jobs, namespace, act.name, act.uid);
        return { ...observed, jobs: observed.jobs.filter((job) => job.metadata.uid !== act.uid) };
      case "end-pod": {
        requireSilent(await confirm(migration), migration);
        mayAct();
        return { ...observed, ...(await endSilent(client, namespace, act, observed.silence?.for ?? 0)) };
      }
      case "confirm-gone":
        return confirmGone(options, namespace, act, observed);
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
      case "remove": {
        const { name, resourceVersion } = (await confirm(migration)).metadata;
        mayAct();
        await client.remove(kinds.migrations, namespace, name, uid, resourceVersion);
        return { ...observed, isRemoved: true };
      }
    }
  }

  return { mayAct, perform };
}
