import { afterAll, beforeAll, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { assessment, call, failedOutcome, jobsOf, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  condition,
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** Workers whose memory follows what a run measured, under the chart's admission policies. */

const command = ["node", "--max-old-space-size=144", "--max-semi-space-size=8", "/app/worker.js"];
let plane: PlaneClient;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane, { values: { worker: { command } } });
  await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one", {
    ROWFERRY_WORKER_COMMAND: JSON.stringify(command),
    ROWFERRY_WORKER_RESOURCES: JSON.stringify({ requests: { memory: "128Mi" }, limits: { memory: "256Mi" } }),
    ROWFERRY_WORKER_MEMORY_MAX: "1Gi",
  });
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const MiB = 1 << 20;

/** Its first run's worker finds that the copy needs so much, and fails. */
async function refused(name: string, memory: { heap: number; container: number }): Promise<Migration> {
  const migration = await makeMigration(plane, "team", name);
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  const outcome = failedOutcome("memory_too_small", "The copy needs more memory.");
  const body = { ...outcome, retryable: false, report: { ...outcome.report, assessment: { ...assessment, memory } } };
  await until("the result to be stored", async () => {
    return (await call(plane, operator.endpoint, "/result", token, body)).status === 200;
  });
  await podEnds(plane, pod, 2);
  return untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
}

const workerOf = async (migration: Migration, run: number) => {
  const jobs = await jobsOf(plane, migration);
  const job = jobs.find(({ metadata }) => metadata.name === `${migration.metadata.name}-${run}`) as unknown as {
    spec: { template: { spec: { containers: { command: string[]; resources: object }[] } } };
  };
  return job.spec.template.spec.containers[0];
};

test("the next run's worker gets the memory that the last one lacked, and the Migration says so", async () => {
  const need = { heap: 336 * MiB, container: 480 * MiB };
  const migration = await refused("many", need);
  expect(await workerOf(migration, 1)).toMatchObject({ command, resources: { limits: { memory: "256Mi" } } });
  expect(migration.status).toMatchObject({ retryable: true, memory: need });
  expect(condition(migration, "Failed")?.message).toContain("the next run's gets 480Mi: retry");
  await patchSpec(plane, migration, { attempt: 2 });
  await untilPod(plane, migration, 2);
  expect(await workerOf(migration, 2)).toMatchObject({
    command: ["node", "--max-old-space-size=336", "--max-semi-space-size=8", "/app/worker.js"],
    resources: { requests: { memory: "352Mi" }, limits: { memory: "480Mi" } },
  });
});

test("one that needs more than any worker may have is not said to be worth a retry", async () => {
  const migration = await refused("too-many", { heap: 3000 * MiB, container: 3400 * MiB });
  expect(migration.status?.retryable).toBe(false);
  expect(condition(migration, "Failed")?.message).toBe("The copy needs more memory.");
});
