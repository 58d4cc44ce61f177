import { type KubeObject, kinds } from "../resources/objects.ts";
import type { Client } from "./client.ts";
import { redact } from "./errors.ts";
import { microTime } from "./lease.ts";

/** What `kubectl describe` shows: a short reason and a sentence about an object. */
export interface Happening {
  type: "Normal" | "Warning";
  reason: string;
  note: string;
}

export interface Recorder {
  /** Writes an event; the same one again within ten minutes raises its count. Never throws. */
  record(about: KubeObject, happening: Happening): Promise<void>;
}

interface Series {
  name: string;
  count: number;
  last: number;
}

const repeatWithin = 10 * 60_000;
const remembered = 1000;

export function createRecorder(options: {
  client: Client;
  controller: string;
  instance: string;
  now: () => number;
  id: () => string;
  problem: (error: unknown) => void;
}): Recorder {
  const series = new Map<string, Series>();

  return {
    async record(about, happening) {
      const { name, namespace, uid } = about.metadata;
      const note = redact(happening.note);
      const key = [uid, happening.reason, note].join("\n");
      const now = options.now();
      const time = microTime(new Date(now));
      const known = series.get(key);
      try {
        if (known && now - known.last < repeatWithin) {
          known.count += 1;
          known.last = now;
          await options.client.mergePatch(kinds.events, namespace ?? "default", known.name, {
            series: { count: known.count, lastObservedTime: time },
          });
          return;
        }
        const made = { name: `${name.slice(0, 200)}.${options.id()}`, count: 1, last: now };
        series.delete(key);
        series.set(key, made);
        for (const old of series.keys()) {
          if (series.size <= remembered) break;
          series.delete(old);
        }
        const event = {
          metadata: { name: made.name, namespace: namespace ?? "default" },
          eventTime: time,
          reportingController: options.controller,
          reportingInstance: options.instance.slice(0, 128),
          action: happening.reason,
          reason: happening.reason,
          type: happening.type,
          note,
          regarding: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
        };
        await options.client.create(kinds.events, event);
      } catch (error) {
        // An event is a courtesy: the condition says the same.
        series.delete(key);
        options.problem(error);
      }
    },
  };
}
