import { managers } from "../../controllers/jobs/managers.ts";
import type { Client } from "../../src/cluster/index.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { create, limits, namespace, places, rowsOf, startSome, watchJobs } from "./crowd.ts";
import { listed } from "./judge.ts";
import {
  bounds,
  failJob,
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
import { processorOf } from "./process.ts";
import { requestsOf } from "./requests.ts";
import { each } from "./scene.ts";

export interface FailingOptions {
  migrations: number;
  /** In each, all that run fail at once. */
  waves: number;
  /** Whether bounds of time and memory are looked at. */
  timed: boolean;
  /** Whether the operator is the image's own bundle. */
  image: boolean;
  /** Folder for the operator's CPU profile. */
  profile?: string | undefined;
}

const reason = "connection_lost";

/** As a worker does that can still speak. */
const storeFailure = (client: Client, name: string) =>
  client.applyStatus(
    kinds.migrations,
    {
      metadata: { name, namespace },
      status: {
        result: {
          ...{ run: 1, outcome: "failed", reason, message: "The target closed the connection.", retryable: true },
          finishedAt: new Date().toISOString(),
        },
      },
    },
    managers.worker,
  );

/**
 * Many Migrations, and a target that goes away: all that run fail at once, wave after wave. Every second worker stores a result before;
 * of the others only the Job tells, as if the pods had been killed. Every third Migration is tried again by its owner.
 */
export async function playFailing(
  { migrations, waves, timed, image, profile }: FailingOptions,
  say: (line: string) => void,
): Promise<Outcome> {
  const crowd = await openOne([namespace], { image, profile });
  const over = new AbortController();
  try {
    const { plane } = crowd;
    const { client } = plane.admin;
    await each(names(migrations, "fails"), 16, async (name) => void (await create(plane, name)));
    say(`${migrations} Migrations that wait`);
    /** Migrations by the Jobs that run, and all that were ever made. */
    const running = new Map<string, string>();
    const made: string[] = [];
    let most = 0;
    let wake = () => {};
    await watchJobs(plane, { say, signal: over.signal }, (job, owner) => {
      running.set(job, owner);
      made.push(job);
      most = Math.max(most, running.size);
      wake();
    });
    const begun = performance.now();
    const operator = await crowd.operator(limits);
    const memory = watchMemory(operator);
    const ready = await untilReady(operator, begun);
    const untilFull = () => until("every place to be taken", () => running.size >= places, 60_000);
    await untilFull();
    const began = Date.now();
    const spent = { passes: await passesOf(operator), seconds: processorOf(operator.child) };
    const nexts: number[] = [];
    const failed = new Map<string, "stored" | "told">();
    for (let wave = 0; wave < waves; wave += 1) {
      const struck = [...running];
      const freed = new Promise<number>((resolve) => {
        wake = () => {
          if (made.length >= places * (wave + 2)) resolve(performance.now());
        };
      });
      running.clear();
      await each(struck, places, async ([job, name]) => {
        const how = failed.size % 2 === 0 ? "stored" : "told";
        failed.set(name, how);
        if (how === "stored") await storeFailure(client, name);
        await failJob(plane, namespace, job);
      });
      const ended = performance.now();
      nexts.push(Math.max(0, (await freed) - ended));
      const again = struck.filter((_, at) => at % 3 === 0);
      await each(again, 8, async ([, name]) => {
        await untilFailed(client, name);
        await client.mergePatch(kinds.migrations, namespace, name, { spec: { attempt: 2 } });
      });
    }
    const ended = Date.now();
    const [passes, seconds] = [await passesOf(operator), processorOf(operator.child)];
    const wrong: string[] = [];
    await each([...failed], 8, async ([name, how]) => {
      const migration = await untilFailed(client, name);
      const found = migration.status?.conditions?.find(({ type }) => type === "Failed")?.reason;
      const wanted = how === "stored" ? "ConnectionLost" : "WorkerFailed";
      if ((migration.spec.attempt ?? 1) === 1 && found !== wanted)
        wrong.push(`${name} failed with ${found} instead of ${wanted}`);
    });
    if (new Set(made).size !== made.length) wrong.push("a Job was made twice");
    if (most > places) wrong.push(`${most} ran at once, of ${places}`);
    const firsts = await startSome(plane, 20);
    memory.stop();
    const { operator: counts } = await requestsOf(plane, began, ended);
    const asked = [...counts.values()].reduce((sum, count) => sum + count, 0);
    say(
      `seconds from each wave's end to the last of the next twenty Jobs: ${nexts.map((ms) => (ms / 1000).toFixed(1)).join(" ")}`,
    );
    say(`${failed.size} Migrations failed in ${waves} waves; the operator's requests: ${listed(counts)}`);
    const runs = places * waves;
    say(
      `for each run ${((passes - spent.passes) / runs).toFixed(1)} passes and ${(((seconds - spent.seconds) * 1000) / runs).toFixed(1)} ms of a processor, with what else the operator did in ${((ended - began) / 1000).toFixed(0)} s`,
    );
    const perRun: Row = ["requests to the API server for each run", asked / runs, 60];
    const rows: Row[] = [
      ...rowsOf({ ready, memory: memory.peak(), firsts }),
      ["a wave's end to the last of the next twenty Jobs, p99, s", p99(nexts) / 1000, bounds.next],
    ];
    const { lines, broken } = judged([...(timed ? rows : []), perRun]);
    return { lines, broken: [...broken, ...wrong] };
  } finally {
    over.abort();
    await crowd.close();
  }
}

/** Or queued again since. */
const untilFailed = (client: Client, name: string) =>
  until(`${name} to have failed`, async () => {
    const found = await client.get(kinds.migrations, namespace, name);
    return found?.status?.state === "failed" || (found?.spec.attempt ?? 1) > 1 ? found : undefined;
  });
