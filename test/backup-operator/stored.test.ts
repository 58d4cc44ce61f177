import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import type { RunOutcome } from "../../src/worker/protocol.ts";
import { until } from "../operator/control-plane.ts";
import { call, podEnds, podRuns, tokenOfPod } from "../operator/kubelet.ts";
import { bucketOf, ended, object, type Scene, startScene, untilObject } from "./support.ts";

/** A pod that is killed between its stored result and its end. The kubelet and the worker are played by the test. */

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  await scene.node.stop();
  await scene.secret("shop", { url: "postgres://reader:pw@127.0.0.1:9/shop" });
  await scene.secret("bucket", { accessKeyId: "AKID", secretAccessKey: "secret" });
});
afterAll(() => scene?.stop());

const podOf = (owner: string): Promise<Pod> =>
  until(`a pod of ${owner}`, async () => {
    const pods = await scene.plane.admin.client.list(kinds.pods, { namespace: scene.namespace });
    return pods.find(({ metadata }) => metadata.name.startsWith(`${owner}-`));
  });

/** Takes the work of this object's pod, stores its result, and ends as killed. */
async function killedAfterResult(owner: string, backup: NonNullable<RunOutcome["backup"]>): Promise<void> {
  const { plane, operator } = scene;
  const pod = await podOf(owner);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  const post = (path: string, body: object) => call(plane, operator.endpoint, path, token, body);
  await until("the pod's work", async () => (await post("/work", {})).status === 200);
  const outcome: RunOutcome = { outcome: "completed", reason: "Done", message: "Done.", report: { log: [] }, backup };
  expect((await post("/result", outcome)).status).toBe(200);
  await podEnds(plane, pod, 137);
}

test("a BackupRun and its Restore are completed without another pod, which would have no work", async () => {
  const { namespace, apply, s3, secret } = scene;
  await apply(
    object("BackupRun", namespace, "killed", { source: { secretRef: { name: "shop" } }, storage: bucketOf(s3) }),
  );
  await killedAfterResult("killed", {
    ...{ tables: 1, rows: 5, seconds: 1, size: 9, stored: 9, engine: "PostgreSQL", serverVersion: "18.6" },
    ...{ location: "team/killed.0/pod", place: "s3://backups/rowferry", manifestDigest: `sha256:${"0".repeat(64)}` },
  });
  const run = await untilObject(scene, "BackupRun", "killed", "an end", ended);
  expect(run.status).toMatchObject({ state: "completed", rows: 5, location: "team/killed.0/pod" });

  await secret("target", { url: "postgres://writer:pw@127.0.0.1:9/back" });
  await apply(object("Restore", namespace, "back", { backupRun: "killed", target: { secretRef: { name: "target" } } }));
  await killedAfterResult("back", { tables: 1, rows: 5, seconds: 1 });
  expect((await untilObject(scene, "Restore", "back", "an end", ended)).status).toMatchObject({
    state: "completed",
    rows: 5,
  });
});
