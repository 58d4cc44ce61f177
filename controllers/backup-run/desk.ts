import { kinds } from "../../src/cluster/index.ts";
import { labels } from "../../src/resources/group.ts";
import type { Kind, KubeObject } from "../../src/resources/objects.ts";
import type { RunOutcome } from "../../src/worker/protocol.ts";
import { child } from "../jobs/names.ts";
import { type EndpointCaller, EndpointRefusal } from "../worker-endpoint/authorise.ts";
import { type Desk, type DeskOptions, withKeys } from "../worker-endpoint/desk.ts";
import { storeReport } from "../worker-endpoint/stored-report.ts";
import { afterOutcome, afterReport, withReportedLog } from "./report.ts";
import { isResultFollowed } from "./subject.ts";
import { backupWork, removalWork, restoreWork, type WorkOptions } from "./work.ts";

/** The endpoint's answers to the pods of BackupRuns and Restores. */

type BackupCaller = Exclude<EndpointCaller, { kind: "Migration" }>;

export function backupDesk(caller: BackupCaller, options: WorkOptions & Pick<DeskOptions, "sealing" | "now">): Desk {
  const { object, pod } = caller;
  const { metadata, status } = object;
  const stored = status?.result;
  const isRemoval = caller.kind === "BackupRun" && caller.isRemoval;
  const failed = (reason: string, message: string): RunOutcome => ({
    ...{ outcome: "failed", reason, message, report: { log: [] } },
  });
  const refuseOver = () => {
    if (!isRemoval && stored?.outcome === "failed") throw new EndpointRefusal(409, "run_over", "the run has ended");
  };
  return {
    kind: (caller.kind === "BackupRun" ? kinds.backupRuns : kinds.restores) as Kind<KubeObject>,
    metadata,
    refuseOver,
    async work() {
      // The pod that said it was killed before it ended. Another one would take the backup again, and remove the archive that is recorded.
      if (!isRemoval && !isResultFollowed(object) && stored)
        throw new EndpointRefusal(409, "run_over", "the run's result is stored");
      return withKeys(options.sealing, async (keys) => {
        if (caller.kind === "Restore") {
          const work = await restoreWork(caller.object, keys, options);
          return stored === undefined ? work : { ...work, isStored: true };
        }
        return isRemoval
          ? removalWork(caller.object, keys, options)
          : backupWork(caller.object, pod.metadata.uid ?? "", keys, options, options.now());
      });
    },
    afterReport(report) {
      if (isRemoval) return withReportedLog(object, report);
      return stored ? undefined : { ...afterReport(object, report), heardAt: options.now().toISOString() };
    },
    async afterOutcome(outcome) {
      if (isRemoval) return outcome.outcome === "failed" ? withReportedLog(object, outcome.report) : undefined;
      if (stored) {
        const { location } = outcome.backup ?? {};
        // A later pod, whose work had begun: it has removed the archive that is recorded.
        const isOther = caller.kind === "BackupRun" && location !== caller.object.status?.location;
        if (stored.outcome === "completed" && outcome.outcome === "completed" && isOther)
          return afterOutcome(object, outcome, options.now());
        // Said before, and stored: the acknowledgement was lost.
        if (stored.outcome === outcome.outcome) return undefined;
        throw new EndpointRefusal(409, "run_over", "the run has ended with another result");
      }
      // Only a conversion has one: what else is restored is as in the backup.
      const name = outcome.summary && child(metadata.name, "report");
      const isStored =
        name !== undefined &&
        (await storeReport(options.client, { of: object, name, marks: { [labels.ownerUid]: metadata.uid } }, outcome));
      return afterOutcome(object, outcome, options.now(), isStored ? name : undefined);
    },
    afterFailure: (reason, message) =>
      isRemoval ? undefined : afterOutcome(object, failed(reason, message), options.now()),
    tidy: async () => undefined,
  };
}
