import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installed } from "../../src/resources/crd/installed.ts";
import type { Migration, Progress } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { Started } from "../api/start.ts";
import { random } from "../chaos/random.ts";
import { ended } from "../operator/control-plane.ts";
import { judge } from "./judge.ts";
import { memoryOf, processorOf } from "./process.ts";
import type { Command, Noted } from "./records.ts";
import { requestsOf } from "./requests.ts";
import { openScene, type Scene, type Size } from "./scene.ts";

/**
 * A load on two replicas, each of which is restarted in order meanwhile, and of which one is killed after it. Clients' new connections go where the
 * readiness probe passes, which is looked at four times a second.
 */
export interface Options extends Size {
  /** Requests a second. */
  rate: number;
  /** Of the load whose times count. */
  seconds: number;
  /** Before it: programs that were just started are slow. */
  warm: number;
  streams: number;
  seed: number;
  /** Whether bounds of time and memory count. */
  timed: boolean;
}

const now = () => performance.timeOrigin + performance.now();

/** Tells the callers which replicas are ready, whenever that changes. */
function followReadiness(replicas: () => readonly Started[], tell: (ports: number[]) => void): { stop(): void } {
  let last = "";
  let over = false;
  const known = new Map<Started, boolean>();
  /** A replica that is slow to answer is what it was, as for a kubelet, which asks three times. */
  async function isReady(replica: Started): Promise<boolean> {
    try {
      const { ok } = await fetch(`${replica.health}/readyz`, { signal: AbortSignal.timeout(2000) });
      known.set(replica, ok);
    } catch (error) {
      if (!(error instanceof Error && error.name === "TimeoutError")) known.set(replica, false);
    }
    return known.get(replica) ?? false;
  }
  void (async () => {
    while (!over) {
      const found = await Promise.all(replicas().map(async (one) => ((await isReady(one)) ? [one.port] : [])));
      const ports = found.flat();
      if (!over && String(ports) !== last) tell(ports);
      last = String(ports);
      await sleep(250);
    }
  })();
  return {
    stop() {
      over = true;
    },
  };
}

/** What the replicas logged as errors, each once. */
function faults(replicas: readonly Started[]): string[] {
  const grave = replicas.flatMap(({ lines }) => lines.filter(({ level }) => Number(level) >= 50));
  return [...new Set(grave.map(({ operation, failure }) => JSON.stringify({ operation, failure })))].slice(0, 10);
}

interface Watch {
  /** MiB at most. */
  peak(of: ChildProcess): number;
  /** Seconds of a processor that these took while they were watched. */
  processor(of: readonly ChildProcess[]): number;
  stop(): void;
}

/** What processes take, each from when it is seen first; what is gone is remembered. */
function watchProcesses(processes: () => readonly ChildProcess[]): Watch {
  const seen = new Map<ChildProcess, { peak: number; from: number; to: number }>();
  const timer = setInterval(() => {
    for (const one of processes()) {
      const [memory, seconds] = [memoryOf(one), processorOf(one)];
      const { peak, from, to } = seen.get(one) ?? { peak: 0, from: seconds, to: seconds };
      seen.set(one, { peak: Math.max(peak, memory), from, to: Math.max(to, seconds) });
    }
  }, 250);
  return {
    peak: (of) => seen.get(of)?.peak ?? 0,
    processor: (of) =>
      of.reduce((sum, one) => {
        const { from, to } = seen.get(one) ?? { from: 0, to: 0 };
        return sum + to - from;
      }, 0),
    stop: () => clearInterval(timer),
  };
}

const progress = (percent: number): Progress => ({
  phase: "copying",
  percent,
  rows: { done: percent * 1000, total: 100_000 },
  bytes: { done: percent * 1_000_000, total: 100_000_000 },
  tables: { done: 0, total: 1 },
  table: [{ name: "shop.orders", rows: percent * 1000, total: 100_000, state: "copying" }],
  updatedAt: new Date().toISOString(),
});

/** What workers report of runs: the streams have something to tell, and every cache to take in. */
function reportProgress({ plane, clients }: Scene, perSecond: number): { stop(): void } {
  const chance = random(1);
  let percent = 0;
  const timer = setInterval(() => {
    const { waits, team } = chance.pick(clients);
    const [name] = waits;
    if (name === undefined) return;
    percent = (percent + 1) % 100;
    const metadata = { name, namespace: `rowferry-${team}` };
    plane.admin.client
      .applyStatus<Migration>(kinds.migrations, { metadata, status: { progress: progress(percent) } }, "load")
      .catch(() => {});
  }, 1000 / perSecond);
  return { stop: () => clearInterval(timer) };
}

export async function playLoad(
  options: Options,
  say: (line: string) => void,
): Promise<{ lines: string[]; broken: string[] }> {
  const scene = await openScene(options, say);
  const stops: { stop(): unknown }[] = [];
  try {
    const replicas = [await scene.startReplica(), await scene.startReplica()];
    const all = [...replicas];
    const start = async () => {
      const replica = await scene.startReplica();
      replicas.push(replica);
      all.push(replica);
    };
    /** Ends the oldest by `end`. */
    const end = async (by: (replica: Started) => Promise<unknown>) => {
      const [oldest] = replicas;
      if (oldest === undefined) throw new Error("no replica");
      await by(oldest);
      replicas.shift();
    };
    const callers = fork(new URL("./caller.ts", import.meta.url), { execArgv: [] });
    stops.push({ stop: () => callers.kill("SIGKILL") });
    // True callers have machines of their own: when these get a processor must not be part of what they measure.
    if (options.timed) setPriority(callers.pid ?? 0, constants.priority.PRIORITY_HIGH);
    const tell = (command: Command) => callers.connected && callers.send(command);
    const noted = new Promise<Noted[]>((resolve, reject) => {
      callers.once("message", (records) => resolve(records as Noted[]));
      callers.once("exit", (code) => reject(new Error(`the callers ended with ${code}`)));
    });
    noted.catch(() => {});
    const watch = watchProcesses(() => [scene.operator.child, ...all.map(({ child }) => child)]);
    stops.push(
      followReadiness(
        () => replicas,
        (ports) => {
          say(`ready: ${ports.length}`);
          tell({ ports });
        },
      ),
      watch,
      reportProgress(scene, Math.max(1, options.rate / 60)),
    );
    tell({
      ports: replicas.map(({ port }) => port),
      load: {
        clients: scene.clients,
        ca: readFileSync(join(scene.plane.folder, installed.apiTls, "ca.crt"), "utf8"),
        rate: options.rate,
        streams: options.streams,
        seed: options.seed,
        ...(options.timed ? { patience: 10_000 } : { patience: 60_000, mostAtOnce: 4 }),
      },
    });
    say(`${options.rate} requests a second`);
    await sleep(options.warm * 1000);

    const begun = now();
    await sleep((options.seconds * 1000) / 4);
    // As the chart's Deployment rolls them (maxSurge 1, maxUnavailable 0): the next one is ready before one ends.
    for (const number of [1, 2]) {
      say(`replica ${number} is restarted in order`);
      await start();
      await end((replica) => replica.stop("SIGTERM"));
      await sleep(1000);
    }
    await sleep(Math.max(0, begun + options.seconds * 1000 - now()));
    const over = now();

    say("a replica is killed");
    let killedAt = now();
    await end((replica) => {
      killedAt = now();
      replica.child.kill("SIGKILL");
      return ended(replica.child);
    });
    await start();
    await sleep(Math.max(0, killedAt + 6000 - now()));
    tell({ stop: true });
    const records = await noted;
    await ended(callers);
    for (const line of faults(all)) say(line);
    const { api, operator } = await requestsOf(scene.plane, begun, over);
    return judge(
      {
        records,
        begun,
        ended: over,
        killedAt,
        streams: Math.min(options.streams, scene.clients.flatMap(({ waits }) => waits).length),
        kubernetes: api,
        operatorRequests: operator,
        apiMemory: all.map(({ child }) => watch.peak(child)),
        operatorMemory: watch.peak(scene.operator.child),
        processor: watch.processor(all.map(({ child }) => child)),
        largest: scene.largest,
      },
      options.timed,
    );
  } finally {
    for (const one of stops) one.stop();
    await scene.close();
  }
}
