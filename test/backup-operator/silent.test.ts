import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { labels } from "../../src/resources/group.ts";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import { applyObjects } from "../operator/apply.ts";
import { type PlaneClient, until } from "../operator/control-plane.ts";
import { call, podRuns, report, tokenOfPod } from "../operator/kubelet.ts";
import { installAccount, makeNamespace, type OperatorProcess, startOperator } from "../operator/operator.ts";
import { borrowControlPlane } from "../operator/shared.ts";
import { object } from "./support.ts";

/** A worker of a BackupRun on a node that is lost without a word, with a real Job controller: its pod stays "Running". */

const namespace = "silent";
let plane: PlaneClient;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = borrowControlPlane();
  operator = await startOperator(plane, await installAccount(plane, { backups: true }), "operator", {
    ...{ ROWFERRY_BACKUPS: "true", ROWFERRY_WORKER_SILENT_SECONDS: "3", ROWFERRY_WORKER_GRACE_SECONDS: "1" },
  });
  await makeNamespace(plane, namespace);
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const podOf = (uid: string, except?: Pod): Promise<Pod> =>
  until("a pod", async () => {
    const labelSelector = `${labels.ownerUid}=${uid}`;
    const pods = await plane.admin.client.list(kinds.pods, { namespace, labelSelector });
    return pods.find(({ metadata }) => metadata.uid !== except?.metadata.uid && !metadata.deletionTimestamp);
  });

test("is ended, and another pod takes the backup", async () => {
  const storage = { volume: { claimName: "data" } };
  await applyObjects(plane, [
    object("BackupRun", namespace, "hangs", { source: { secretRef: { name: "shop" } }, storage }),
  ]);
  const read = async () => (await plane.admin.client.get(kinds.backupRuns, namespace, "hangs")) as BackupRun;
  const { uid } = (await read()).metadata;
  const first = await podOf(uid);
  await podRuns(plane, first);
  const token = await tokenOfPod(plane, first);
  expect((await call(plane, operator.endpoint, "/progress", token, report(1))).status).toBe(200);
  await until("the worker to be heard", async () => (await read()).status?.heardAt !== undefined);
  await podOf(uid, first);
  await until("the log to say why", async () =>
    (await read()).status?.log?.some(({ message }) => /has not reported for \d+s: its pod was ended/.test(message)),
  );
  expect((await read()).status?.state).not.toBe("failed");
  expect((await call(plane, operator.endpoint, "/progress", token, report(2))).status).toBeGreaterThanOrEqual(400);
});
