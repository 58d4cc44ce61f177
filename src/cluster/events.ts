import { type KubeObject, kinds } from "../resources/objects.ts";
import type { Client } from "./client.ts";
import { redact } from "./errors.ts";
import { microTime } from "./lease.ts";

/** What `kubectl describe` shows: a short reason and a sentence about an object. */
interface Happening {
  type: "Normal" | "Warning";
  reason: string;
  note: string;
}

export interface Recorder {
  /**
   * Writes an event soon, and nobody waits for it; the same one again within ten minutes raises its count. Never throws. Of more than a thousand that
   * are not written yet the oldest are dropped: the condition says the same.
   */
  record(about: KubeObject, happening: Happening): void;
}

interface Series {
  name: string;
  count: number;
  last: number;
  /** Whether the first one is there. */
  made: Promise<boolean>;
}

const repeatWithin = 10 * 60_000;
const remembered = 1000;
/** At the same time: the reconcilers' own requests go before. */
const atOnce = 4;
const mostWaiting = 1000;

export function createRecorder(options: {
  client: Client;
  controller: string;
  instance: string;
  now: () => number;
  id: () => string;
  problem: (error: unknown) => void;
}): Recorder {
  const series = new Map<string, Series>();
  const waiting: { write: () => Promise<unknown>; done: (isWritten: boolean) => void }[] = [];
  let writing = 0;

  async function writeNext(): Promise<void> {
    writing += 1;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      try {
        await next.write();
        next.done(true);
      } catch (error) {
        next.done(false);
        options.problem(error);
      }
    writing -= 1;
  }

  /** Resolves with whether it was written. */
  const enqueued = (write: () => Promise<unknown>): Promise<boolean> =>
    new Promise((done) => {
      waiting.push({ write, done });
      if (waiting.length > mostWaiting) waiting.shift()?.done(false);
      if (writing < atOnce) void writeNext();
    });

  return {
    record(about, happening) {
      const { name, namespace, uid } = about.metadata;
      const note = redact(happening.note);
      const key = [uid, happening.reason, note].join("\n");
      const now = options.now();
      const time = microTime(new Date(now));
      const known = series.get(key);
      const forget = (isWritten: boolean) => {
        if (!isWritten) series.delete(key);
      };
      if (known && now - known.last < repeatWithin) {
        const { name: first, made } = known;
        known.count += 1;
        known.last = now;
        const patch = { series: { count: known.count, lastObservedTime: time } };
        const write = async () => {
          if (await made) await options.client.mergePatch(kinds.events, namespace ?? "default", first, patch);
        };
        void enqueued(write).then(forget);
        return;
      }
      const made = `${name.slice(0, 200)}.${options.id()}`;
      const event = {
        metadata: { name: made, namespace: namespace ?? "default" },
        eventTime: time,
        reportingController: options.controller,
        reportingInstance: options.instance.slice(0, 128),
        action: happening.reason,
        reason: happening.reason,
        type: happening.type,
        note,
        regarding: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
      };
      const written = enqueued(() => options.client.create(kinds.events, event));
      series.delete(key);
      series.set(key, { name: made, count: 1, last: now, made: written });
      void written.then(forget);
      for (const old of series.keys()) {
        if (series.size <= remembered) break;
        series.delete(old);
      }
    },
  };
}
