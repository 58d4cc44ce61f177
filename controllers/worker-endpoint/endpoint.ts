import { type Client, isConflict } from "../../src/cluster/index.ts";
import { SealError } from "../../src/guard/seal.ts";
import type { AnyWork, Report, RunOutcome } from "../../src/worker/protocol.ts";
import { managers } from "../jobs/managers.ts";
import { type Authoriser, type EndpointCaller, EndpointRefusal } from "./authorise.ts";
import type { Desk } from "./desk.ts";
import { NoWork } from "./no-work.ts";
import type { PodIdentity } from "./tokens/identity.ts";

/**
 * The three calls of `src/worker/protocol.ts`. Any replica answers them. They write nothing but the worker's fields of the
 * status, each write on what was read when the worker was admitted, so that a run which was replaced meanwhile cannot write.
 */
export interface WorkerEndpoint {
  work(token: string): Promise<AnyWork>;
  progress(token: string, report: Report): Promise<void>;
  result(token: string, outcome: RunOutcome): Promise<void>;
  /** Writes what waits, and takes no more. */
  close(): Promise<void>;
}

export interface EndpointOptions {
  client: Client;
  authoriser: Authoriser;
  desk: (caller: EndpointCaller) => Desk;
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
  waiting?: { report: Report; identity: PodIdentity };
  cancel?: () => void;
  refusal?: EndpointRefusal;
}

export function createEndpoint(options: EndpointOptions): WorkerEndpoint {
  const { client, authoriser } = options;
  const talks = new Map<string, Talk>();
  const time = () => options.now().getTime();

  /** Applies the worker's part on what `admit` read; reads again when somebody else wrote meanwhile. */
  async function write(identity: PodIdentity, next: (desk: Desk) => Promise<object | undefined>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const desk = options.desk(await authoriser.admit(identity));
      const status = await next(desk);
      if (status === undefined) return;
      const { name, namespace, uid, resourceVersion } = desk.metadata;
      try {
        const metadata = { name, namespace, uid, resourceVersion };
        await client.applyStatus(desk.kind, { metadata, status }, managers.worker);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === tries) throw error;
      }
    }
  }

  const writeReport = (identity: PodIdentity, report: Report) =>
    write(identity, async (desk) => {
      desk.refuseOver();
      return desk.afterReport(report);
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
      if (error instanceof EndpointRefusal) talk.refusal = error;
      else options.problem(error);
    }
  }

  const pace = (talk: Talk) => (time() - talk.since < often.firstFor ? often.first : often.later);

  function talkOf(identity: PodIdentity): Talk {
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
      const desk = options.desk(await authoriser.admit(identity));
      desk.refuseOver();
      try {
        return await desk.work();
      } catch (error) {
        if (!(error instanceof SealError || error instanceof NoWork)) throw error;
        // No pod could do better: the run has failed, and this pod has nothing to do.
        const { code, message } = error;
        await write(identity, async (live) => live.afterFailure(code, message));
        throw new EndpointRefusal(409, code, message);
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
      let ended: Desk | undefined;
      await write(identity, async (desk) => {
        ended = desk;
        return desk.afterOutcome(outcome);
      });
      // The result stands without it.
      await ended?.tidy(outcome).catch(options.problem);
    },

    async close() {
      const open = [...talks.values()];
      for (const talk of open) talk.cancel?.();
      await Promise.all(open.map(flush));
    },
  };
}
