import { setTimeout as sleep } from "node:timers/promises";
import { managers } from "../../controllers/jobs/managers.ts";
import { type Informer, startInformer } from "../../src/cluster/index.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type Job, type Kind, type KubeObject, kinds } from "../../src/resources/objects.ts";
import { type ControlPlane, until } from "../operator/control-plane.ts";
import type { OperatorProcess } from "../operator/operator.ts";
import { completeJob, names, type Outcome, openOne, passesOf, untilReady, watchMemory } from "./one-operator.ts";
import { processorOf } from "./process.ts";
import { requestsOf } from "./requests.ts";
import { each } from "./scene.ts";
import { judgeSlots, type SlotFacts } from "./slots-judge.ts";

/**
 * Many BackupSchedules that are all due at one minute, one in seven runs verified, and Migrations beside them; the operator is killed in the middle.
 * The test plays worker and Job controller. The operator's clock is set ahead, so that the slot comes soon.
 */
export interface SchedulesOptions {
  schedules: number;
  namespaces: number;
  migrations: number;
  /** Jobs at one time, in all and in a namespace. */
  limits: { cluster: number; namespace: number };
  /** Milliseconds over which the operator spreads the starts. */
  jitter: number;
  /** Milliseconds that a Job takes at least. */
  takes: number;
  timed: boolean;
  /** Whether the operator is the image's own bundle. */
  image: boolean;
}

const moves = "moves";
const minute = 60_000;
/** Milliseconds from the operator's start to the slot. */
const lead = 8000;

/** For Node: its clock is so many milliseconds ahead. */
const clockAhead = (ahead: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const D=Date;globalThis.Date=class extends D{constructor(...a){if(a.length)super(...a);else super(D.now()+${ahead})}static now(){return D.now()+${ahead}}}`,
  )}`;

const result = () => ({
  ...{ run: 1, outcome: "completed", reason: "Verified", message: "Equal." },
  finishedAt: new Date().toISOString(),
});
const facts = { tables: 3, rows: 1000 };
/** What a worker leaves in the status of its Job's owner. */
const leaves: Record<string, (name: string) => object> = {
  Migration: () => ({ result: result() }),
  Restore: () => ({ ...facts, seconds: 1, result: result() }),
  BackupRun: (name) => ({
    ...facts,
    ...{ size: 1_000_000, stored: 300_000, location: `load/${name}.1/pod`, place: "s3://backups/rowferry" },
    ...{ manifestDigest: `sha256:${"0".repeat(64)}`, engine: "PostgreSQL", serverVersion: "18.1" },
    result: result(),
  }),
};
const ownerKinds: Record<string, Kind<KubeObject>> = {
  Migration: kinds.migrations,
  Restore: kinds.restores,
  BackupRun: kinds.backupRuns,
};

/** One in so many runs is verified, as on any day by the weekly policy, which is the default. */
const verifiedOf = 7;

const scheduleOf = (namespace: string, name: string, slot: number, policy: string): BackupSchedule => {
  const at = new Date(slot);
  return {
    metadata: { name, namespace },
    spec: {
      source: { secretRef: { name: "shop" } },
      cron: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`,
      verification: { policy },
      storage: { bucket: { region: "us-east-1", bucket: "backups", secretRef: { name: "bucket" } } },
    },
  } as unknown as BackupSchedule;
};

export async function playSchedules(options: SchedulesOptions, say: (line: string) => void): Promise<Outcome> {
  const { jitter, limits } = options;
  const spaces = names(options.namespaces, "team");
  const one = await openOne([...spaces, moves], { backups: true, image: options.image });
  const over = new AbortController();
  try {
    const { plane } = one;
    const slot = Math.ceil(Date.now() / minute + 10) * minute;
    const all = names(options.schedules, "nightly").map((name, at) => ({
      ...{ name, namespace: spaces[at % spaces.length] ?? "", policy: at % verifiedOf === 0 ? "EachRun" : "Never" },
    }));
    await each(all, 16, async ({ name, namespace, policy }) => {
      await plane.admin.client.create(kinds.backupSchedules, scheduleOf(namespace, name, slot, policy));
    });
    say(`${all.length} BackupSchedules of one minute in ${spaces.length} namespaces`);
    const ahead = slot - lead - Date.now();
    const clock = () => Date.now() + ahead;
    const node = watchJobs(plane, options, clock, over.signal);
    const watched = watchRuns(plane, clock, over.signal);
    await Promise.all([node.synced, watched.runs.synced]);
    const ready: number[] = [];
    let memory = 0;
    const start = async (): Promise<{ operator: OperatorProcess; kill(): Promise<void> }> => {
      const begun = performance.now();
      const operator = await one.operator({
        NODE_OPTIONS: clockAhead(ahead),
        ROWFERRY_BACKUPS: "true",
        ROWFERRY_BACKUP_JITTER_SECONDS: String(jitter / 1000),
        ROWFERRY_VERIFY_IMAGES: JSON.stringify({ postgres: "postgres:18" }),
        ROWFERRY_MAX_RUNNING: String(limits.cluster),
        ROWFERRY_MAX_RUNNING_PER_NAMESPACE: String(limits.namespace),
      });
      const watch = watchMemory(operator);
      ready.push(await untilReady(operator, begun));
      return {
        operator,
        async kill() {
          await operator.stop("SIGKILL");
          watch.stop();
          memory = Math.max(memory, watch.peak());
        },
      };
    };
    let present = await start();
    const outages = [{ from: 0, to: clock() }];
    await until("the slot", () => clock() >= slot, lead + minute);
    const begun = Date.now();
    const progress = setInterval(() => {
      const now = ((clock() - slot) / 1000).toFixed(0);
      say(`${now} s: ${watched.runs.size()} runs, ${node.jobs().length} Jobs, ${node.running()} at work`);
    }, 10_000);
    over.signal.addEventListener("abort", () => clearInterval(progress));
    const migrations = makeMigrations(plane, options, clock, over.signal);
    const patience = 120_000 + 2 * jitter + options.schedules * 1500;
    await until("half of the runs", () => watched.runs.size() >= options.schedules / 2, patience);
    const from = clock();
    say(`the operator is killed, with ${node.running()} Jobs at work`);
    await present.kill();
    present = await start();
    outages.push({ from, to: clock() });
    const isWanted = new Map(all.map(({ name, policy }) => [name, policy === "EachRun"]));
    const isDone = ({ spec, status }: BackupRun) =>
      status?.state === "completed" && (status.verification !== undefined || !isWanted.get(spec.schedule ?? ""));
    await until(
      "all runs to be completed and verified",
      () => watched.runs.size() >= options.schedules && watched.runs.all().every(isDone),
      patience,
    );
    await migrations.made;
    await until("the Migrations to start", () => migrations.at.size <= node.started(moves), minute);
    const live = await until(
      "the schedules' statuses",
      async () => {
        const found = await plane.admin.client.list(kinds.backupSchedules, {});
        return found.every((one) => conditionOf(one) === "True" || !isWanted.get(one.metadata.name))
          ? found
          : undefined;
      },
      minute,
    );
    const { operator: requests } = await requestsOf(plane, begun, Date.now());
    const [passes, seconds] = [await passesOf(present.operator), processorOf(present.operator.child)];
    say(`the second operator: ${passes} passes in ${seconds.toFixed(1)} s of a processor`);
    await present.kill();
    const key = ({ metadata }: { metadata: { namespace: string; name: string } }) => metadata.name;
    const seen: SlotFacts = {
      ...{ slot, jitter, limits, outages, ready, memory },
      schedules: live.map((schedule) => ({
        key: key(schedule),
        uid: schedule.metadata.uid,
        missed: schedule.status?.missed ?? 0,
        lastSlot: schedule.status?.lastSlot === undefined ? undefined : Date.parse(schedule.status.lastSlot),
        verified: isWanted.get(key(schedule)) ? conditionOf(schedule) : "True",
      })),
      runs: watched.runs.all().map((run) => ({
        key: key(run),
        schedule: run.spec.schedule ?? "",
        slot: run.spec.slot === undefined ? undefined : Date.parse(run.spec.slot),
        at: watched.seenAt(run),
        state: run.status?.state ?? "pending",
      })),
      jobs: node.jobs(),
      migrations: [...migrations.at].map(([name, at]) => ({
        at,
        jobAt: node.jobs().find(({ owner }) => owner === `Migration ${moves}/${name}`)?.at,
      })),
    };
    const { lines, broken } = judgeSlots(seen, options.timed);
    const sum = [...requests.values()].reduce((total, count) => total + count, 0);
    const most = [...requests].sort((a, b) => b[1] - a[1]).slice(0, 8);
    return {
      lines: [
        ...lines,
        `${(sum / seen.jobs.length).toFixed(1)} requests of the operator for each Job: ${most.map(([what, count]) => `${what} ${count}`).join(", ")}`,
      ],
      broken: [
        ...broken,
        ...(sum / seen.jobs.length > requestsPerJob ? [`${sum} requests of the operator`] : []),
        ...Object.entries(mostOfSchedule).flatMap(([what, most]) => {
          const count = requests.get(what) ?? 0;
          return count > most * options.schedules ? [`${count} times ${what}`] : [];
        }),
      ],
    };
  } finally {
    over.abort();
    await one.close();
  }
}

/** Of the operator, for a run or its verification, with all that its schedule needs for it. */
const requestsPerJob = 18;
/** Likewise for each schedule: its slot and its completed run are saved, one in seven is verified, and a run is made with its finalizer. */
const mostOfSchedule = { "patch backupschedules/status": 2.5, "patch backupruns": 0.5 };

const conditionOf = ({ status }: BackupSchedule) => status?.conditions?.find(({ type }) => type === "Verified")?.status;

const informing = (signal: AbortSignal) => ({
  ...{ resync: 600_000, now: () => performance.now(), random: Math.random, signal },
  problem: (error: unknown) => console.error(error),
});

/** Plays worker and Job controller for every Job. */
function watchJobs(plane: ControlPlane, { takes }: SchedulesOptions, clock: () => number, signal: AbortSignal) {
  const jobs: SlotFacts["jobs"] = [];
  async function live({ metadata }: Job, fact: SlotFacts["jobs"][number], kind: string, name: string): Promise<void> {
    await sleep(takes, undefined, { signal });
    const { namespace } = metadata;
    const status = leaves[kind]?.(name);
    if (status === undefined) throw new Error(`a Job of a ${kind}`);
    const owner = { metadata: { name, namespace: namespace ?? "" }, status } as unknown as KubeObject;
    // The operator gives the place away as soon as the result is stored, which may be before this request is answered.
    fact.endsAt = clock();
    await plane.admin.client.applyStatus(ownerKinds[kind] as Kind<KubeObject>, owner as never, managers.worker);
    await completeJob(plane, namespace ?? "", metadata.name);
  }
  const { synced } = startInformer(plane.admin.connection, {
    ...informing(signal),
    kind: kinds.jobs,
    changed(before, after) {
      if (before !== undefined || after === undefined) return;
      const { namespace = "", annotations = {} } = after.metadata;
      const move = annotations[labels.migration];
      const [kind = "", name = ""] =
        move === undefined ? (annotations[labels.owner] ?? "").split("/") : ["Migration", move];
      const fact = { owner: `${kind} ${namespace}/${name}`, namespace, at: clock(), endsAt: Number.POSITIVE_INFINITY };
      jobs.push(fact);
      live(after, fact, kind, name).catch((error: unknown) => {
        if (!signal.aborted) console.error(error);
      });
    },
  });
  return {
    synced,
    jobs: () => jobs,
    running: () => jobs.filter(({ endsAt }) => endsAt === Number.POSITIVE_INFINITY).length,
    started: (of: string) => jobs.filter(({ namespace }) => namespace === of).length,
  };
}

function watchRuns(plane: ControlPlane, clock: () => number, signal: AbortSignal) {
  const seen = new Map<string, number>();
  const cache: Informer<BackupRun> = startInformer<BackupRun>(plane.admin.connection, {
    ...informing(signal),
    kind: kinds.backupRuns,
    changed(before, after) {
      if (after !== undefined && before?.metadata.uid !== after.metadata.uid) seen.set(after.metadata.uid, clock());
    },
  });
  return {
    runs: { synced: cache.synced, all: () => [...cache.all()], size: () => seen.size },
    seenAt: ({ metadata }: BackupRun) => seen.get(metadata.uid) ?? 0,
  };
}

/** One after the other over the jitter and as long again: while backups wait for places. */
function makeMigrations(
  { admin }: ControlPlane,
  { migrations, jitter }: SchedulesOptions,
  clock: () => number,
  signal: AbortSignal,
): { at: Map<string, number>; made: Promise<void> } {
  const at = new Map<string, number>();
  const make = async () => {
    for (const name of names(migrations, "move")) {
      await admin.client.create(kinds.migrations, {
        metadata: { name, namespace: moves },
        spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
      } as unknown as Migration);
      at.set(name, clock());
      await sleep((1.5 * jitter) / migrations, undefined, { signal });
    }
  };
  const made = make();
  made.catch(() => {});
  return { at, made };
}
