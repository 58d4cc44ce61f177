import { setTimeout as waitFor } from "node:timers/promises";
import { type Kind, type KubeObject, pathOf } from "../resources/objects.ts";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";

/**
 * A cache of one kind, kept by a list and a watch that start again whatever ends them. It promises:
 * every object that appears, changes or goes is told once to `changed`, an object that was deleted and made again under
 * the same name as both; a watch that ends goes on from where it was, after a growing pause where it failed, and only a server that has
 * forgotten that version is asked for everything; everything is listed anew every `resync` besides; a watch that says nothing, not
 * even a bookmark, is dropped; `lastHeard` moves with each successful list, each event and each watch that the server ends in its
 * time; `version` never says more than the cache has.
 */
export interface Informer<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  all(): IterableIterator<T>;
  /** Those that `indexedBy` gives this value for; none without it. */
  by(value: string): T[];
  /** Resolves after the first list. */
  synced: Promise<void>;
  /** Milliseconds of the clock when the server last said something: a list, an event, or the end of a watch in its time; 0 before. */
  lastHeard(): number;
  /** Milliseconds of the clock when it last did anything, a failure too: it works, though the server may not. */
  lastTurn(): number;
  /** Milliseconds since its watch ended, until the server has accepted another; 0 while it follows. */
  closedFor(): number;
  /** The resourceVersion up to which the cache has every change and every deletion; 0 before the first list. */
  version(): bigint;
  /** Resolves when the loop has ended, after the signal. */
  ended: Promise<void>;
}

export interface InformerOptions<T extends KubeObject> {
  kind: Kind<T>;
  /** Only the objects of this namespace; without it, those of all. */
  namespace?: string;
  labelSelector?: string;
  /** Takes off what is not needed, to save memory. */
  trim?: (object: T) => T;
  /** A value, such as an owner's uid, by which objects are looked up without going through all of them. */
  indexedBy?: (object: T) => string | undefined;
  /** `before` and `after`: appeared, changed or gone. Must not throw or wait; it should only note a key. */
  changed: (before: T | undefined, after: T | undefined) => void;
  /** Milliseconds between lists. */
  resync: number;
  /** Milliseconds without any event or bookmark after which a watch counts as stalled. */
  idle?: number;
  /** Milliseconds of one watch at most: the server ends it then, also where nothing happened. The shorter, the sooner silence means something. */
  watchFor?: number;
  now: () => number;
  random: () => number;
  signal: AbortSignal;
  problem: (error: unknown) => void;
}

interface WatchEvent<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T & { code?: number; reason?: string; message?: string };
}

/** As a number, which etcd's are and Kubernetes promises to compare as; 0 for anything else. */
export const resourceVersionNumber = (resourceVersion: string | undefined): bigint =>
  /^\d{1,30}$/.test(resourceVersion ?? "") ? BigInt(resourceVersion ?? "") : 0n;

/** Objects of a page: so few that what is parsed of one is dead before the next (of 500, their collection took a third of a start). */
const pageSize = 100;

/** Answers after which a watch cannot go on from its version: forgotten, ahead of a server that was restored, or of a kind that is gone. */
const forgotten = new Set(["Expired", "Gone", "Timeout", "NotFound", "Invalid", "BadRequest"]);
/** Watches in a row that may fail before everything is listed again, in case it is the version that fails. */
const mostResumed = 5;
/** Milliseconds: what a server asks beyond that is not waited for. */
const longestAsked = 120_000;

const keyOf = (object: KubeObject) => `${object.metadata.namespace ?? ""}/${object.metadata.name}`;

/** Waits, or until the signal; never rejects. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  waitFor(milliseconds, undefined, { signal }).catch(() => undefined);

export function startInformer<T extends KubeObject>(connection: Connection, options: InformerOptions<T>): Informer<T> {
  const { kind, signal, now, random } = options;
  const idle = options.idle ?? 130_000;
  const watchFor = options.watchFor ?? Number.POSITIVE_INFINITY;
  const objects = new Map<string, T>();
  let heard = 0;
  let turned = 0;
  /** When the watch ended; undefined while it follows. */
  let closed: number | undefined = now();
  let version = 0n;
  const { promise: synced, resolve: markSynced } = Promise.withResolvers<void>();

  const index = new Map<string, Map<string, T>>();
  function file(key: string, before: T | undefined, after: T | undefined): void {
    const [old, value] = [before, after].map((object) => object && options.indexedBy?.(object));
    if (old !== undefined && old !== value) {
      const group = index.get(old);
      group?.delete(key);
      if (group?.size === 0) index.delete(old);
    }
    if (value === undefined || after === undefined) return;
    const group = index.get(value) ?? new Map<string, T>();
    index.set(value, group.set(key, after));
  }

  function put(key: string, object: T): void {
    const before = objects.get(key);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before !== undefined) return;
    const after = options.trim ? options.trim(object) : object;
    objects.set(key, after);
    file(key, before, after);
    if (before !== undefined && before.metadata.uid !== after.metadata.uid) {
      options.changed(before, undefined);
      options.changed(undefined, after);
    } else options.changed(before, after);
  }

  function drop(key: string): void {
    const before = objects.get(key);
    if (before === undefined) return;
    objects.delete(key);
    file(key, before, undefined);
    options.changed(before, undefined);
  }

  /** Lists everything; answers the resourceVersion to watch from. */
  async function list(): Promise<string> {
    const first = version === 0n;
    const seen = new Set<string>();
    let token: string | undefined;
    let resourceVersion = "";
    do {
      const begun = now();
      const page: { items: T[]; metadata: { continue?: string; resourceVersion: string } } = await connection.send({
        method: "GET",
        path: pathOf(kind, options.namespace),
        query: { labelSelector: options.labelSelector, limit: pageSize, continue: token },
        signal,
      });
      turned = now();
      for (const item of page.items) {
        seen.add(keyOf(item));
        put(keyOf(item), item);
      }
      token = page.metadata.continue || undefined;
      resourceVersion = page.metadata.resourceVersion;
      // A process that starts leaves two thirds of the time to the server, and to those that it is to relieve.
      if (first && token !== undefined) await pause(2 * (now() - begun), signal);
    } while (token !== undefined);
    for (const key of [...objects.keys()]) if (!seen.has(key)) drop(key);
    heard = now();
    version = resourceVersionNumber(resourceVersion);
    markSynced();
    return resourceVersion;
  }

  /** Where the next watch begins; undefined: everything must be listed first. */
  let from: string | undefined;
  /** Lists and watches in a row that failed before a watch brought anything. */
  let failures = 0;

  /** Follows from `from`, which moves along. Throws `Stalled` where nothing came for too long. */
  async function follow(until: number): Promise<void> {
    const stalled = new AbortController();
    let timer = setTimeout(() => stalled.abort(), idle);
    try {
      const lines = connection.lines(
        {
          method: "GET",
          path: pathOf(kind, options.namespace),
          query: {
            watch: true,
            allowWatchBookmarks: true,
            labelSelector: options.labelSelector,
            resourceVersion: from,
            timeoutSeconds: Math.max(1, Math.ceil(Math.min(until - now(), watchFor) / 1000)),
          },
          signal: AbortSignal.any([signal, stalled.signal]),
        },
        () => {
          closed = undefined;
          turned = now();
        },
      );
      for await (const line of lines) {
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(), idle);
        const event = line as WatchEvent<T>;
        if (event.type === "ERROR")
          throw new ClusterError(
            event.object.code === 410 ? "Expired" : (event.object.reason ?? "Unknown"),
            event.object.code ?? 0,
            event.object.message ?? "the watch ended with an error",
          );
        heard = now();
        turned = heard;
        failures = 0;
        if (event.type === "DELETED") drop(keyOf(event.object));
        else if (event.type !== "BOOKMARK") put(keyOf(event.object), event.object);
        // Only now: what is not in the cache yet is not seen.
        from = event.object.metadata.resourceVersion ?? from;
        version = resourceVersionNumber(from);
      }
    } catch (error) {
      if (stalled.signal.aborted && !signal.aborted)
        throw new ClusterError("Stalled", 0, "the watch received nothing for too long");
      throw error;
    } finally {
      clearTimeout(timer);
      closed ??= now();
    }
  }

  /** Milliseconds before the next try: as the server asks, else growing with each failure, never less than half. */
  const backoff = (error: unknown): number => {
    const grown = Math.min(30_000, 250 * 2 ** Math.min(failures, 7)) * (0.5 + random() / 2);
    const asked = error instanceof ClusterError ? (error.retryAfter ?? 0) * 1000 * (1 + random() / 4) : 0;
    return Math.max(grown, Math.min(asked, longestAsked));
  };

  async function run(): Promise<void> {
    let until = 0;
    while (!signal.aborted) {
      try {
        if (from === undefined || now() >= until) {
          // A list that fails must not keep the cache from following.
          until = now() + Math.min(options.resync, 30_000);
          from = await list();
          // Jitter, so that several caches and replicas do not list at the same moment.
          until = now() + options.resync * (0.8 + 0.4 * random());
        }
        const begun = now();
        await follow(until);
        // A server that ends each watch at once must not be asked in a tight loop.
        if (now() - begun < 1000) await pause(1000 * random(), signal);
        else {
          heard = now();
          failures = 0;
        }
        turned = now();
      } catch (error) {
        if (signal.aborted) break;
        turned = now();
        failures += 1;
        const code = error instanceof ClusterError ? error.code : "";
        if (code !== "Expired") options.problem(error);
        if (forgotten.has(code) || failures > mostResumed) from = undefined;
        // That a server has forgotten a version is usual, and the list follows at once; again and again, it is not.
        if (code !== "Expired" || failures > 1) await pause(backoff(error), signal);
      }
    }
  }

  return {
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    all: () => objects.values(),
    by: (value) => [...(index.get(value)?.values() ?? [])],
    synced,
    lastHeard: () => heard,
    lastTurn: () => turned,
    closedFor: () => (closed === undefined ? 0 : now() - closed),
    version: () => version,
    ended: run(),
  };
}
