import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import {
  assessment,
  call,
  completed,
  failedOutcome,
  jobsOf,
  podEnds,
  podRuns,
  report,
  tokenOfPod,
  untilPod,
} from "./kubelet.ts";
import {
  condition,
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

/** A run from apply to its end, with a real Job controller; the test plays kubelet and worker. */

let plane: PlaneClient;
let operator: OperatorProcess;
let namespace: string;
/** As the archive of a run says where it made what it made. */
const madeIn = { address: "new.example.com:3306", identity: "mysql 1f2e" };

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane);
  namespace = await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one");
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

async function findMigration(name: string): Promise<Migration> {
  const found = await plane.admin.client.get(kinds.migrations, namespace, name);
  if (!found) throw new Error(`no Migration ${name}`);
  return found;
}

test("a Migration goes from pending over in_progress to completed, with conditions, report, columns, log and events", async () => {
  const began = performance.now();
  const migration = await makeMigration(plane, namespace, "shop");
  const pending = await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  console.log(`Job recorded ${Math.round(performance.now() - began)} ms after apply`);
  expect(pending.status).toMatchObject({
    state: "pending",
    run: 1,
    attempt: 1,
    reset: 0,
    observedGeneration: 1,
    job: { name: "shop-1" },
  });
  expect(condition(pending, "Complete")).toMatchObject({ status: "False", reason: "Pending", observedGeneration: 1 });

  const pod = await untilPod(plane, migration, 1);
  const token = await tokenOfPod(plane, pod);
  const work = await call(plane, operator.endpoint, "/work", token, {});
  expect(work).toEqual({
    status: 200,
    body: {
      owner: migration.metadata.uid,
      ownerName: "Migration team/shop",
      run: 1,
      reset: false,
      reached: false,
      made: [],
      source: { folder: "/var/run/rowferry/source" },
      target: { folder: "/var/run/rowferry/target" },
      options: optionsSchema.parse({}),
    },
  });

  await podRuns(plane, pod);
  const running = await untilMigration(
    plane,
    migration,
    "in_progress",
    ({ status }) => status?.state === "in_progress",
  );
  expect(condition(running, "Running")).toMatchObject({ status: "True", reason: "PodRunning" });

  expect(
    await call(plane, operator.endpoint, "/progress", token, report(410, "copying", ["Copying 10 tables"])),
  ).toMatchObject({ status: 200 });
  const progressed = await readMigration(plane, migration);
  expect(progressed.status).toMatchObject({
    type: "conversion",
    size: 823_000_000,
    assessment,
    columns: { size: "823 MB", progress: "41% copying", eta: "3m20s" },
  });

  const archive = gzipSync(
    JSON.stringify({
      report: {
        target: { engine: "MySQL", version: "9.7.0", database: "shop", ...madeIn },
        made: [{ kind: "table", name: ["shop", "orders"] }],
      },
      log: [],
    }),
  ).toString("base64");
  expect(await call(plane, operator.endpoint, "/result", token, completed(archive))).toMatchObject({ status: 200 });
  const stored = await readMigration(plane, migration);
  expect(stored.status?.state, "not before the pod has ended, since the fence still stands in the target").toBe(
    "in_progress",
  );
  const summary = { configMap: "shop-1-report", tables: 10, rows: 1000, reported: 2 };
  expect(stored.status?.report).toEqual({ ...summary, bytes: archive.length });
  const map = await plane.admin.client.get(kinds.configMaps, namespace, "shop-1-report");
  expect(map?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Migration", uid: migration.metadata.uid });
  expect(map?.binaryData?.["report.json.gz"]).toBe(archive);

  expect(
    await call(plane, operator.endpoint, "/result", token, completed(archive)),
    "a repeated result is acknowledged",
  ).toMatchObject({ status: 200 });
  await podEnds(plane, pod, 0);
  const done = await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  expect(condition(done, "Complete")).toMatchObject({
    status: "True",
    reason: "Verified",
    message: completed().message,
  });
  expect(condition(done, "Running")).toMatchObject({ status: "False", reason: "Completed" });
  expect(done.status?.madeIn).toBe("shop-1-report");
  const settled = await untilMigration(plane, migration, "no ETA", ({ status }) => status?.columns?.eta === undefined);
  expect(settled.status?.columns).toEqual({ size: "823 MB", progress: "100%" });
  const messages = [...(settled.status?.log ?? [])]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((entry) => entry.message);
  expect(messages).toEqual([
    "Run 1 started: Job shop-1.",
    "Copying 10 tables",
    "All tables are equal",
    completed().message,
  ]);
  const waited = await plane.kubectl([
    "wait",
    "--for=condition=Complete",
    "migration/shop",
    "-n",
    namespace,
    "--timeout=5s",
  ]);
  expect(waited.code, waited.err).toBe(0);
  const events = await until("two events", async () => {
    const { out } = await plane.kubectl(["events", "-n", namespace, "--for", "migration/shop", "-o", "json"]);
    const { items } = JSON.parse(out) as { items: { reason: string }[] };
    return items.length >= 2 ? items.map((item) => item.reason) : undefined;
  });
  expect(events.sort()).toEqual(["Completed", "Started"]);
  expect(await jobsOf(plane, migration)).toHaveLength(1);
});

test("a run that fails says why, and a raised attempt runs again", async () => {
  const migration = await makeMigration(plane, namespace, "wrong");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");
  const token = await tokenOfPod(plane, pod);
  expect(await call(plane, operator.endpoint, "/result", token, failedOutcome())).toMatchObject({ status: 200 });
  const failed = await untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
  expect(condition(failed, "Failed")).toMatchObject({
    status: "True",
    reason: "WrongPassword",
    message: "The target refused the password.",
  });
  const last = [...(failed.status?.log ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
  expect(last).toMatchObject({ level: "error", message: "The target refused the password." });
  expect((await call(plane, operator.endpoint, "/progress", token, report(1))).status).toBe(409);
  await podEnds(plane, pod, 2);

  await patchSpec(plane, migration, { attempt: 2 });
  const again = await untilMigration(
    plane,
    migration,
    "run 2",
    ({ status }) => status?.run === 2 && status.job?.name === "wrong-2",
  );
  expect(again.status).toMatchObject({ state: "pending", attempt: 2 });
  expect(again.status?.finishedAt).toBeUndefined();
  expect(again.status?.progress).toBeUndefined();
  expect(again.status?.result).toBeUndefined();
  const second = await untilPod(plane, migration, 2);
  const work = await call(plane, operator.endpoint, "/work", await tokenOfPod(plane, second), {});
  expect(work.body).toMatchObject({ run: 2, reset: false });
  expect((await call(plane, operator.endpoint, "/work", token, {})).status, "the first run's pod").toBe(409);
});

test("a reset stops the running Job, waits for its pod, and gives the next run the list of what was made, and where", async () => {
  const migration = await findMigration("shop");
  await patchSpec(plane, migration, { reset: 1 });
  await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "shop-2");
  const pod = await untilPod(plane, migration, 2);
  const token = await tokenOfPod(plane, pod);
  const work = await call(plane, operator.endpoint, "/work", token, {});
  const made = [{ kind: "table", name: ["shop", "orders"] }];
  expect(work.body).toMatchObject({ run: 2, reset: true, made, madeIn });
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");

  await call(plane, operator.endpoint, "/progress", token, report(100, "copying"));
  const restarted = await call(plane, operator.endpoint, "/work", token, {});
  expect(restarted.body, "a pod that follows after the cleaning does not clean again").toMatchObject({
    reset: false,
    made: [],
  });

  await patchSpec(plane, migration, { reset: 2 });
  await untilMigration(plane, migration, "run 3", ({ status }) => status?.job?.name === "shop-3");
  await until(
    "409 for the pod of run 2",
    async () => (await call(plane, operator.endpoint, "/progress", token, report(200))).status === 409,
  );
  const third = await untilPod(plane, migration, 3);
  const next = await call(plane, operator.endpoint, "/work", await tokenOfPod(plane, third), {});
  expect(next.body).toMatchObject({ run: 3, reset: true });
});

test("the report of an earlier run is kept for the next reset, and goes when a later run completed", async () => {
  const reportOf = (run: number) => plane.admin.client.get(kinds.configMaps, namespace, `shop-${run}-report`);
  const migration = await findMigration("shop");
  const third = await untilPod(plane, migration, 3);
  await podRuns(plane, third);
  const token = await tokenOfPod(plane, third);
  await call(plane, operator.endpoint, "/result", token, failedOutcome());
  await podEnds(plane, third, 2);
  await untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
  expect([await reportOf(1), await reportOf(3)].map((map) => map !== undefined)).toEqual([true, true]);

  await patchSpec(plane, migration, { attempt: 2 });
  await untilMigration(plane, migration, "run 4", ({ status }) => status?.job?.name === "shop-4");
  const fourth = await untilPod(plane, migration, 4);
  await podRuns(plane, fourth);
  expect(await call(plane, operator.endpoint, "/result", await tokenOfPod(plane, fourth), completed())).toMatchObject({
    status: 200,
  });
  const reports = [await reportOf(1), await reportOf(3), await reportOf(4)];
  expect(reports.map((map) => map !== undefined)).toEqual([false, false, true]);
  await podEnds(plane, fourth, 0);
  const done = await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  expect(done.status?.madeIn).toBe("shop-4-report");
});

test("a deleted Migration takes Job and report with it", async () => {
  const before = await findMigration("shop");
  await plane.kubectl(["delete", "migration", "shop", "-n", namespace]);
  await until(
    "nothing left",
    async () => {
      const jobs = await jobsOf(plane, before);
      return (
        jobs.length === 0 && (await plane.admin.client.get(kinds.configMaps, namespace, "shop-4-report")) === undefined
      );
      // Kubernetes' collector learns of new kinds every half minute only, and later while the machine is busy.
    },
    120_000,
  );
  expect(await plane.admin.client.get(kinds.migrations, namespace, "shop")).toBeUndefined();
});
