import { managers } from "../../controllers/jobs/managers.ts";
import { pause, startInformer } from "../../src/cluster/index.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type Job, kinds, type Pod } from "../../src/resources/objects.ts";
import { type ControlPlane, until } from "../operator/control-plane.ts";
import { completedStatus } from "./objects.ts";
import {
  bounds,
  completeJob,
  judged,
  names,
  type Outcome,
  openOne,
  p99,
  passesOf,
  type Row,
  untilReady,
  watchMemory,
} from "./one-operator.ts";
import { each } from "./scene.ts";

/**
 * One operator as the image runs it, among many Migrations: of those that have run with their Jobs and pods, which Kubernetes keeps for a
 * day, and of those that wait. The test plays worker and Job controller.
 */

export const namespace = "crowd";
/** Runs at the same time. */
export const places = 20;
export const limits = { ROWFERRY_MAX_RUNNING: String(places), ROWFERRY_MAX_RUNNING_PER_NAMESPACE: String(places) };

export const create = ({ admin }: ControlPlane, name: string): Promise<Migration> =>
  admin.client.create(kinds.migrations, {
    metadata: { name, namespace },
    spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
  } as unknown as Migration);

/** A completed Migration with what its run has left in the cluster. */
async function makeFinished({ admin }: ControlPlane, name: string): Promise<void> {
  const { client } = admin;
  const migration = await create({ admin } as ControlPlane, name);
  const { uid } = migration.metadata;
  const marks = {
    ...{ "app.kubernetes.io/managed-by": "rowferry", "app.kubernetes.io/component": "worker" },
    ...{ [labels.migrationUid]: uid, [labels.run]: "1" },
  };
  const annotations = { [labels.migration]: name };
  const template = {
    metadata: { labels: marks, annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "worker", image: "rowferry.dev/app:test" }] },
  };
  const owner = (kind: string, apiVersion: string, of: { name: string; uid?: string }) => ({
    ownerReferences: [{ apiVersion, kind, name: of.name, uid: of.uid ?? "", controller: true }],
  });
  const job = await client.create(kinds.jobs, {
    metadata: {
      ...{ name: `${name}-1`, namespace, labels: marks, annotations },
      ...owner("Migration", "rowferry.dev/v1alpha1", migration.metadata),
    },
    spec: { template },
  } as unknown as Job);
  const pod = await client.create(kinds.pods, {
    metadata: {
      ...{ name: `${name}-1-x`, namespace, labels: marks, annotations },
      ...owner("Job", "batch/v1", job.metadata),
    },
    spec: template.spec,
  } as unknown as Pod);
  await client.patchStatus(kinds.pods, namespace, pod.metadata.name, { status: { phase: "Succeeded" } });
  await completeJob({ admin } as ControlPlane, namespace, job.metadata.name);
  const {
    result,
    progress,
    report,
    type,
    size,
    log = [],
    ...controller
  } = completedStatus(new Date(), `${name}-report`);
  const metadata = { name, namespace };
  const own = (writer: string) => log.filter(({ id }) => id.includes(`-${writer}`));
  await client.applyStatus(
    kinds.migrations,
    {
      metadata,
      status: { ...controller, job: { name: job.metadata.name, uid: job.metadata.uid }, log: own("c") },
    },
    managers.controller,
  );
  await client.applyStatus(
    kinds.migrations,
    { metadata, status: { result, progress, report, type, size, log: own("w") } },
    managers.worker,
  );
}

/** Many that have run: what the operator takes to start, and to run others among them. */
export async function playFinished(count: number, say: (line: string) => void): Promise<Outcome> {
  const crowd = await openOne([namespace]);
  try {
    await each(names(count, "done"), 16, (name) => makeFinished(crowd.plane, name));
    say(`${count} finished Migrations with a Job and a pod each`);
    const begun = performance.now();
    const operator = await crowd.operator(limits);
    const memory = watchMemory(operator);
    const ready = await untilReady(operator, begun);
    const firsts = await startSome(crowd.plane, 10);
    await until(
      "each to be looked at",
      async () => {
        const found = await passesOf(operator);
        return found >= count ? found : undefined;
      },
      120_000,
    );
    memory.stop();
    return judged(rowsOf({ ready, memory: memory.peak(), firsts }));
  } finally {
    await crowd.close();
  }
}

/** Makes Migrations one after the other; answers milliseconds until each has a status. */
export async function startSome({ admin }: ControlPlane, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (const name of names(count, "new")) {
    const begun = performance.now();
    await create({ admin } as ControlPlane, name);
    await until(
      "a first status",
      async () => (await admin.client.get(kinds.migrations, namespace, name))?.status?.state !== undefined,
    );
    taken.push(performance.now() - begun);
  }
  return taken;
}

/** Hears of each Job that is made, and of the Migration that owns it. Resolves when those that are there were heard of. */
export const watchJobs = (
  { admin }: ControlPlane,
  { say, signal }: { say(line: string): void; signal: AbortSignal },
  made: (job: string, owner: string) => void,
): Promise<void> =>
  startInformer(admin.connection, {
    ...{ kind: kinds.jobs, resync: 600_000, now: () => performance.now(), random: Math.random, signal },
    changed(before, after) {
      if (before === undefined && after !== undefined)
        made(after.metadata.name, after.metadata.ownerReferences?.[0]?.name ?? "");
    },
    problem: (error) => say(String(error)),
  }).synced;

/** Many that wait: how soon a slot that becomes free is taken, and a new one is seen. One run ends each second. */
export async function playWaiting(count: number, ends: number, say: (line: string) => void): Promise<Outcome> {
  const crowd = await openOne([namespace]);
  const over = new AbortController();
  try {
    const { plane } = crowd;
    await each(names(count, "waits"), 16, async (name) => void (await create(plane, name)));
    say(`${count} Migrations that wait`);
    const running = new Map<string, string>();
    let made = 0;
    let wake = () => {};
    await watchJobs(plane, { say, signal: over.signal }, (job, owner) => {
      made += 1;
      running.set(job, owner);
      wake();
    });
    const begun = performance.now();
    const operator = await crowd.operator(limits);
    const memory = watchMemory(operator);
    const ready = await untilReady(operator, begun);
    await until("the first runs", () => made >= places, 60_000);
    say(`${places} runs have a Job`);
    const nexts: number[] = [];
    for (let at = 0; at < ends; at += 1) {
      const [job, name] = [...running].find(([, owner]) => owner.startsWith("waits")) ?? [];
      if (job === undefined || name === undefined) throw new Error("nothing runs");
      running.delete(job);
      const next = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const result = {
        run: 1,
        outcome: "completed",
        reason: "Verified",
        message: "Equal.",
        finishedAt: new Date().toISOString(),
      };
      await plane.admin.client.applyStatus(
        kinds.migrations,
        { metadata: { name, namespace }, status: { result } },
        managers.worker,
      );
      const freed = performance.now();
      await completeJob(plane, namespace, job);
      await next;
      nexts.push(performance.now() - freed);
      await pause(Math.max(0, 1000 - (performance.now() - freed)), over.signal);
    }
    const firsts = await startSome(plane, 20);
    memory.stop();
    return judged([
      ...rowsOf({ ready, memory: memory.peak(), firsts }),
      ["freed place to the next Job, p99, s", p99(nexts) / 1000, bounds.next],
    ]);
  } finally {
    over.abort();
    await crowd.close();
  }
}

export const rowsOf = (found: { ready: number; memory: number; firsts: number[] }): Row[] => [
  ["ready, s", found.ready / 1000, bounds.ready],
  ["memory at most, MiB", found.memory, bounds.memory],
  ["new to its first status, p99, s", p99(found.firsts) / 1000, bounds.first],
];
