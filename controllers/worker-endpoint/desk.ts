import type { PriceList } from "../../src/billing/prices.ts";
import { type Client, kinds, type ReportBucket } from "../../src/cluster/index.ts";
import type { OpeningKeys } from "../../src/guard/envelope.ts";
import { SealError } from "../../src/guard/seal.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { Kind, KubeObject } from "../../src/resources/objects.ts";
import type { AnyWork, Report, RunOutcome } from "../../src/worker/protocol.ts";
import { reportName } from "../migration/names.ts";
import { EndpointRefusal } from "./authorise.ts";
import { withPrice } from "./over-quote.ts";
import { afterOutcome, afterReport } from "./report.ts";
import { storeReport } from "./stored-report.ts";
import { type GuardSettings, workOf } from "./work.ts";

/** What the endpoint says and writes for one object whose worker was admitted; `object` is as it was read then. */
export interface Desk {
  kind: Kind<KubeObject>;
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string };
  /** Throws Refusal where the run has ended. */
  refuseOver(): void;
  /** Throws SealError and MadeError, after which no pod can run. */
  work(): Promise<AnyWork>;
  /** The worker's part of the status; undefined: nothing is to be written. */
  afterReport(report: Report): object | undefined;
  /** Likewise. Throws Refusal where another result is stored. */
  afterOutcome(outcome: RunOutcome): Promise<object | undefined>;
  /** The run has failed, since no worker can be given its work. */
  afterFailure(reason: string, message: string): object | undefined;
  /** After the result is stored; a failure costs nothing but space. */
  tidy(outcome: RunOutcome): Promise<void>;
}

export interface DeskOptions {
  client: Client;
  /** Where reports are kept, unless in ConfigMaps alone. */
  reports: ReportBucket | undefined;
  /** The keys to open sealed URLs with; `again` reads them anew, since another replica may have added one. */
  sealing: (again: boolean) => Promise<OpeningKeys>;
  guard: GuardSettings;
  /** Undefined while billing is off. */
  prices: { currency: string; list: PriceList } | undefined;
  now: () => Date;
}

/** With the sealing keys of this replica, and if they lack one, with those read anew. */
export async function withKeys<T>(sealing: DeskOptions["sealing"], run: (keys: OpeningKeys) => Promise<T>): Promise<T> {
  try {
    return await run(await sealing(false));
  } catch (error) {
    if (!(error instanceof SealError) || error.code !== "seal_key_unknown") throw error;
    return run(await sealing(true));
  }
}

export function migrationDesk(migration: Migration, options: DeskOptions): Desk {
  const { client } = options;
  const place = { client, bucket: options.reports };
  const { metadata, spec, status } = migration;
  const stored = status?.result?.run === status?.run ? status?.result : undefined;
  /** Undefined where the prices are of another currency than the Migration's payment. */
  const prices = spec.payment?.currency === options.prices?.currency ? options.prices?.list : undefined;
  const refuseOver = () => {
    if (status?.state === "failed" || stored?.outcome === "failed")
      throw new EndpointRefusal(409, "run_over", "the run has ended");
  };
  return {
    kind: kinds.migrations,
    metadata,
    refuseOver,
    async work() {
      const work = await withKeys(options.sealing, (keys) => workOf(migration, place, keys, options.guard, prices));
      // The pod that said it was killed before it ended.
      return stored === undefined ? work : { ...work, isStored: true };
    },
    // Nothing said after the result counts: a progress that was under way must not undo it.
    afterReport: (report) =>
      stored ? undefined : { ...afterReport(migration, report), heardAt: options.now().toISOString() },
    async afterOutcome(outcome) {
      if (stored) {
        // Said before, and stored: the acknowledgement was lost.
        if (stored.outcome === outcome.outcome) return undefined;
        throw new EndpointRefusal(409, "run_over", "the run has ended with another result");
      }
      refuseOver();
      const priced = withPrice(migration, outcome, prices);
      const { name, uid } = metadata;
      const run = status?.run ?? 1;
      const marks = { [labels.migrationUid]: uid, [labels.run]: String(run) };
      const isStored = await storeReport(client, { of: migration, name: reportName(name, run), marks }, priced);
      return afterOutcome(migration, priced, isStored, options.now());
    },
    afterFailure: (reason, message) =>
      afterOutcome(migration, { outcome: "failed", reason, message, report: { log: [] } }, false, options.now()),
    tidy: ({ outcome }) => dropEarlier(migration, client, outcome),
  };
}

/**
 * Deletes the reports that nobody reads any more, so that many runs of one Migration do not fill etcd: that of the run before, and where this one
 * completed, that of the last which did; where it failed, the next reset needs its list yet.
 */
async function dropEarlier(
  { metadata, status }: Migration,
  client: Client,
  outcome: RunOutcome["outcome"],
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const run = status?.run ?? 1;
  const kept = outcome === "completed" ? reportName(name, run) : status?.madeIn;
  const earlier = new Set([reportName(name, run - 1), ...(status?.madeIn === undefined ? [] : [status.madeIn])]);
  for (const report of earlier) {
    const found = report === kept ? undefined : await client.get(kinds.configMaps, namespace, report);
    if (found?.metadata.ownerReferences?.some((owner) => owner.uid === uid))
      await client.remove(kinds.configMaps, namespace, report, found.metadata.uid ?? "");
  }
}
