import { type Client, type Informer, kinds } from "../../src/cluster/index.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import type { Used } from "./job.ts";
import { restoreNeeds, runNeeds } from "./needs.ts";
import { isRun, type Needs } from "./observed.ts";
import { candidateOf, type Subject } from "./subject.ts";

export interface NeedsOptions {
  client: Client;
  caches: { runs: Informer<BackupRun>; schedules: Informer<BackupSchedule> };
  template: () => WorkerTemplate;
  /** Whether the installation has a storage for runs of this namespace. */
  hasStorage(namespace: string): boolean;
}

/** What a subject uses, and what `decide` needs to know of that. The cache may be behind: what starts asks the API server. */
export type FindNeeds = (subject: Subject, from?: "cache" | "live") => Promise<{ needs: Needs; used: Used }>;

/** Reads what a BackupRun or a Restore names. One that lacks something fails for good, and the cache may be behind: looks twice. */
export function createFindNeeds({ client, caches, template, hasStorage }: NeedsOptions): FindNeeds {
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

  function needsBy(named: Named, subject: Subject): { needs: Needs; used: Used } {
    const { namespace } = subject.metadata;
    if (isRun(subject)) {
      const { schedule: name } = subject.spec;
      const schedule = name === undefined ? undefined : named.schedule(namespace, name);
      const found = runNeeds(subject, schedule, hasStorage(namespace));
      if ("missing" in found) return { needs: found, used: {} };
      const { source, storage, encryption } = found.plan;
      return {
        needs: {
          ...(storage ? { storage } : {}),
          ...(encryption ? { encryption } : {}),
          ...(schedule ? { scheduleUid: schedule.metadata.uid } : {}),
        },
        used: { source, storage },
      };
    }
    const run = named.run(namespace, subject.spec.backupRun);
    const found = restoreNeeds(subject, run, template().verify.images);
    return "missing" in found ? { needs: found, used: {} } : { needs: {}, used: found.used };
  }

  return async (subject, from = "cache") => {
    if (from === "live") return needsBy(await live(subject), subject);
    const found = needsBy(cached, subject);
    return "missing" in found.needs && candidateOf(subject).isWaiting ? needsBy(await live(subject), subject) : found;
  };
}
