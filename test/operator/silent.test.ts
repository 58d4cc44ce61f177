import { afterAll, beforeAll, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, podEnds, podRuns, report, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** Nodes that are lost without a word, with a real Job controller: their pods stay "Running", and no kubelet ends them. */

let plane: PlaneClient;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one", {
    ROWFERRY_WORKER_SILENT_SECONDS: "3",
    ROWFERRY_WORKER_GRACE_SECONDS: "1",
  });
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

/** Puts the pod on a node that is not there. */
const bind = (pod: Pod) =>
  plane.admin.connection.send({
    method: "POST",
    path: `/api/v1/namespaces/team/pods/${pod.metadata.name}/binding`,
    body: {
      ...{ apiVersion: "v1", kind: "Binding", metadata: { name: pod.metadata.name } },
      target: { apiVersion: "v1", kind: "Node", name: "lost-node" },
    },
  });

async function begun(name: string): Promise<{ migration: Migration; pod: Pod; token: string }> {
  const migration = await makeMigration(plane, "team", name);
  const pod = await untilPod(plane, migration, 1);
  await bind(pod);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");
  return { migration, pod, token: await tokenOfPod(plane, pod) };
}

async function isThere({ metadata }: Pod): Promise<boolean> {
  const found = await plane.admin.client.get(kinds.pods, "team", metadata.name);
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

test("a worker that does not report any more is ended, another goes on, and what the first says then is refused", async () => {
  const { migration, pod, token } = await begun("silent");
  expect((await call(plane, operator.endpoint, "/progress", token, report(100))).status).toBe(200);
  const second = await untilPod(plane, migration, 1, [pod.metadata.name]);
  const words = new RegExp(
    `^The worker in pod ${pod.metadata.name} on node lost-node has not reported for \\d+s: its pod was ended, and the Job starts another, which continues\\.$`,
  );
  await untilMigration(
    plane,
    migration,
    "the log to say why",
    ({ status }) => status?.log?.some(({ message }) => words.test(message)) === true,
  );
  const { out } = await plane.kubectl(["get", "events", "-n", "team", "-o", "jsonpath={.items[*].reason}"]);
  expect(out.split(" ")).toContain("WorkerSilent");
  await until("the first pod to go", async () => !(await isThere(pod)));
  expect((await call(plane, operator.endpoint, "/progress", token, report(200))).status).toBeGreaterThanOrEqual(400);

  await podRuns(plane, second);
  const next = await tokenOfPod(plane, second);
  // One that speaks is left alone, also where nothing of its progress changes.
  const quiet = { ...report(100), progress: undefined };
  const first = (await readMigration(plane, migration)).status?.heardAt ?? "";
  await until("a worker that spoke for six seconds", async () => {
    const { status } = await call(plane, operator.endpoint, "/progress", next, quiet);
    if (status !== 200) throw new Error(`its report got ${status}`);
    const heard = (await readMigration(plane, migration)).status?.heardAt ?? "";
    return Date.parse(heard) - Date.parse(first) > 9000;
  });
  expect(await isThere(second)).toBe(true);
  await call(plane, operator.endpoint, "/result", next, completed());
  await podEnds(plane, second, 0);
  const done = await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  expect(done.status?.run).toBe(1);
}, 90_000);

test("a reset does not wait for ever for the pod of a lost node", async () => {
  const { migration, pod } = await begun("stopped");
  await patchSpec(plane, migration, { reset: 1 });
  await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "stopped-2", 40_000);
  expect(await isThere(pod)).toBe(false);
}, 90_000);
