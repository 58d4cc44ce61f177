import { migrationKey } from "../../../controllers/migration/controller.ts";
import { createReportController, type ReportController } from "../../../controllers/report/controller.ts";
import type { Queue } from "../../../controllers/runtime/queue.ts";
import type { Client, Informer, Recorder, ReportBucket } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";

/** The reports' part of the operator: what starts a pass, and one leader's term of passes. */
interface Reports {
  /** To be told of every change of a Migration that the cache sees. */
  changed(before: Migration | undefined, after: Migration | undefined): void;
  /** Looks at every Migration once, then at each that changes, until the queue is closed. */
  lead(term: {
    client: Client;
    leads: () => boolean;
    recorder: Recorder;
    /** Its own, so that a bucket which does not answer delays no Migration. */
    queue: Queue;
    migrations: Informer<Migration>;
    loop: (reconcile: ReportController["reconcile"]) => Promise<void>;
  }): Promise<void>;
}

/** Without a bucket, only what is being deleted is let go. */
export function watchReports(bucket: ReportBucket | undefined): Reports {
  let term: { queue: Queue; controller: ReportController } | undefined;
  return {
    changed(before, after) {
      if (after !== undefined && term?.controller.concerns(before, after)) term.queue.add(migrationKey(after));
    },
    async lead({ queue, loop, ...options }) {
      const controller = createReportController({ ...options, bucket });
      term = { queue, controller };
      for (const migration of options.migrations.all())
        if (controller.concerns(undefined, migration)) queue.add(migrationKey(migration), "look");
      await loop(controller.reconcile);
      term = undefined;
    },
  };
}
