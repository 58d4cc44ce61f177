import type { PriceList } from "../../../src/billing/prices.ts";
import { alreadyExists, type Client, isConflict, kinds } from "../../../src/cluster/index.ts";
import { type PrivateKey, SealError } from "../../../src/guard/seal.ts";
import { clean } from "../../../src/guard/words.ts";
import { archiveKey } from "../../../src/resources/archive.ts";
import { apiVersion, labels } from "../../../src/resources/group.ts";
import type { Migration } from "../../../src/resources/migration.ts";
import type { Outcome, Report, Work } from "../../../src/worker/protocol.ts";
import { managers } from "../../jobs/managers.ts";
import { reportName } from "../names.ts";
import type { WorkerStatus } from "../status.ts";
import { type Authoriser, type Identity, Refusal } from "./authorise.ts";
import { withPrice } from "./over-quote.ts";
import { afterOutcome, afterReport } from "./report.ts";
import { type GuardSettings, MadeError, workOf } from "./work.ts";

/**
 * The three calls of `src/worker/protocol.ts`. Any replica answers them. They write nothing but the worker's fields of the
 * status, each write on what was read when the worker was admitted, so that a run which was replaced meanwhile cannot write.
 */
export interface Endpoint {
  work(token: string): Promise<Work>;
  progress(token: string, report: Report): Promise<void>;
  result(token: string, outcome: Outcome): Promise<void>;
  /** Writes what waits, and takes no more. */
  close(): Promise<void>;
}

export interface EndpointOptions {
  client: Client;
  authoriser: Authoriser;
  /** The keys to open sealed URLs with; `again` reads them anew, since another replica may have added one. */
  sealing: (again: boolean) => Promise<readonly PrivateKey[]>;
  guard: GuardSettings;
  /** Undefined while billing is off. */
  prices: { currency: string; list: PriceList } | undefined;
  now: () => Date;
  schedule: (milliseconds: number, run: () => void) => () => void;
  problem: (error: unknown) => void;
}

/** A status is written at most so often, in milliseconds: at first often, since most copies are short. */
const often = { first: 2000, firstFor: 60_000, later: 10_000 };
/** A pod that says nothing for so long is forgotten. */
const forgetAfter = 300_000;
const tries = 6;

interface Talk {
  since: number;
  last: number;
  due: number;
  waiting?: { report: Report; identity: Identity };
  cancel?: () => void;
  refusal?: Refusal;
}

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { client, authoriser } = options;
  const talks = new Map<string, Talk>();
  const time = () => options.now().getTime();

  /** Applies the worker's part on what `admit` read; reads again when somebody else wrote meanwhile. */
  async function write(
    identity: Identity,
    next: (migration: Migration) => Promise<WorkerStatus | undefined>,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { migration } = await authoriser.admit(identity);
      const status = await next(migration);
      if (status === undefined) return;
      const { name, namespace, uid, resourceVersion } = migration.metadata;
      try {
        const metadata = { name, namespace, uid, resourceVersion };
        await client.applyStatus(kinds.migrations, { metadata, status }, managers.worker);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === tries) throw error;
      }
    }
  }

  const over = (migration: Migration) => {
    const { status } = migration;
    if (status?.state === "failed" || (status?.result?.run === status?.run && status?.result?.outcome === "failed"))
      throw new Refusal(409, "run_over", "the run has ended");
  };

  const writeReport = (identity: Identity, report: Report) =>
    write(identity, async (migration) => {
      over(migration);
      // Nothing said after the result counts: a progress that was under way must not undo it.
      return migration.status?.result?.run === migration.status?.run ? undefined : afterReport(migration, report);
    });

  async function flush(talk: Talk): Promise<void> {
    const { waiting } = talk;
    delete talk.cancel;
    delete talk.waiting;
    if (!waiting) return;
    talk.due = time() + pace(talk);
    try {
      await writeReport(waiting.identity, waiting.report);
    } catch (error) {
      if (error instanceof Refusal) talk.refusal = error;
      else options.problem(error);
    }
  }

  const pace = (talk: Talk) => (time() - talk.since < often.firstFor ? often.first : often.later);

  function talkOf(identity: Identity): Talk {
    for (const [uid, { last, waiting }] of talks)
      if (waiting === undefined && time() - last > forgetAfter) talks.delete(uid);
    const talk = talks.get(identity.podUid) ?? { since: time(), last: 0, due: 0 };
    talk.last = time();
    talks.set(identity.podUid, talk);
    return talk;
  }

  return {
    async work(token) {
      const identity = await authoriser.identify(token);
      const { migration } = await authoriser.admit(identity);
      over(migration);
      try {
        return await opened(migration);
      } catch (error) {
        if (!(error instanceof SealError || error instanceof MadeError)) throw error;
        // No pod could do better: the run has failed, and this pod has nothing to do.
        const { code: reason, message } = error;
        const outcome: Outcome = { outcome: "failed", reason, message, report: { log: [] } };
        await write(identity, async (live) => afterOutcome(live, outcome, false, options.now()));
        throw new Refusal(409, error.code, error.message);
      }
    },

    async progress(token, report) {
      const identity = await authoriser.identify(token);
      const talk = talkOf(identity);
      if (talk.refusal) {
        talks.delete(identity.podUid);
        throw talk.refusal;
      }
      if (report.isLast === true) {
        talk.cancel?.();
        talks.delete(identity.podUid);
        await writeReport(identity, report);
        return;
      }
      if (time() >= talk.due && !talk.cancel) {
        talk.due = time() + pace(talk);
        await writeReport(identity, report);
        return;
      }
      talk.waiting = { report, identity };
      talk.cancel ??= options.schedule(Math.max(0, talk.due - time()), () => void flush(talk));
    },

    async result(token, outcome) {
      const identity = await authoriser.identify(token);
      const talk = talks.get(identity.podUid);
      talk?.cancel?.();
      talks.delete(identity.podUid);
      let ended: Migration | undefined;
      await write(identity, async (migration) => {
        const { status } = migration;
        ended = migration;
        if (status?.result?.run === status?.run && status?.result) {
          // Said before, and stored: the acknowledgement was lost.
          if (status.result.outcome === outcome.outcome) return undefined;
          throw new Refusal(409, "run_over", "the run has ended with another result");
        }
        over(migration);
        const priced = withPrice(migration, outcome, pricesOf(migration));
        const stored = await storeReport(migration, priced);
        return afterOutcome(migration, priced, stored, options.now());
      });
      // The result stands without it.
      if (ended !== undefined) await dropEarlier(ended, outcome.outcome).catch(options.problem);
    },

    async close() {
      const open = [...talks.values()];
      for (const talk of open) talk.cancel?.();
      await Promise.all(open.map(flush));
    },
  };

  /** Undefined where the prices are of another currency than the Migration's payment. */
  function pricesOf({ spec }: Migration): PriceList | undefined {
    return spec.payment?.currency === options.prices?.currency ? options.prices?.list : undefined;
  }

  async function opened(migration: Migration): Promise<Work> {
    try {
      return await workOf(migration, client, await options.sealing(false), options.guard, pricesOf(migration));
    } catch (error) {
      if (!(error instanceof SealError) || error.code !== "seal_key_unknown") throw error;
      return workOf(migration, client, await options.sealing(true), options.guard, pricesOf(migration));
    }
  }

  /**
   * Deletes the reports that nobody reads any more, so that many runs of one Migration do not fill etcd: that of the run before, and where this one
   * completed, that of the last which did; where it failed, the next reset needs its list yet.
   */
  async function dropEarlier({ metadata, status }: Migration, outcome: Outcome["outcome"]): Promise<void> {
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

  /** Makes the run's ConfigMap; one that is there already is this run's, from a pod whose result was cut off. */
  async function storeReport(migration: Migration, outcome: Outcome): Promise<boolean> {
    const { name, namespace, uid } = migration.metadata;
    const run = migration.status?.run ?? 1;
    const note =
      outcome.archive === undefined
        ? { note: "The report was too large to be kept, or there is none: see the log of the pod." }
        : {};
    const owner = { apiVersion, kind: "Migration", name, uid };
    try {
      await client.create(kinds.configMaps, {
        metadata: {
          name: reportName(name, run),
          namespace,
          labels: { [labels.migrationUid]: uid, [labels.run]: String(run), "app.kubernetes.io/managed-by": "rowferry" },
          ownerReferences: [owner],
        },
        data: { outcome: outcome.outcome, message: clean(outcome.message, 2048), ...note },
        ...(outcome.archive === undefined ? {} : { binaryData: { [archiveKey]: outcome.archive } }),
      });
      return true;
    } catch (error) {
      if (!alreadyExists(error)) throw error;
      const found = await client.get(kinds.configMaps, namespace, reportName(name, run));
      // One of this name that is somebody else's: the result is worth more than the report.
      return found?.metadata.ownerReferences?.some((other) => other.uid === uid) ?? false;
    }
  }
}
