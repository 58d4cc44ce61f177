import { afterAll, beforeAll, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, podWaits, setPodStatus, tokenOfPod, untilPod } from "./kubelet.ts";
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

/** What can be in a run's way: each gives a condition with a reason and a sentence, and heals when the cause is gone. */

let plane: PlaneClient;
let operator: OperatorProcess;
let namespace: string;

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane);
  namespace = await makeNamespace(plane, "team");
  operator = await startOperator(plane, kubeconfig, "one", {
    ROWFERRY_MAX_RUNNING: "4",
    ROWFERRY_MAX_RUNNING_PER_NAMESPACE: "3",
  });
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const running = (reason: string) => (migration: Migration) => condition(migration, "Running")?.reason === reason;
const untilReason = (migration: Migration, reason: string) =>
  untilMigration(plane, migration, `Running says ${reason}`, running(reason));
const remove = async (migration: Migration) => {
  await plane.kubectl(["delete", "migration", migration.metadata.name, "-n", migration.metadata.namespace]);
  await until("its Jobs to go", async () => (await jobsOf(plane, migration)).length === 0);
};

/** As the kubelet writes it. */
async function kubeletSays(pod: Pod, reason: string, message: string): Promise<void> {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  await plane.admin.client.create(kinds.seenEvents, {
    metadata: { name: `${pod.metadata.name}.${Date.now()}`, namespace },
    involvedObject: { kind: "Pod", name: pod.metadata.name, namespace, uid: pod.metadata.uid },
    reason,
    message,
    type: "Warning",
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: "kubelet" },
  } as never);
}

test.each([
  [
    "a Secret that does not exist",
    'MountVolume.SetUp failed for volume "target" : secret "target" not found',
    "SecretMissing",
    "The Secret target that spec.target names does not exist in namespace team: create it with the connection URL under the key url.",
  ],
  [
    "a Secret that lacks its key",
    'MountVolume.SetUp failed for volume "source" : references non-existent secret key: url',
    "SecretKeyMissing",
    "The Secret source that spec.source names has no key url: add the key",
  ],
])("%s is named, and the run goes on when it is there", async (_what, message, reason, words) => {
  const migration = await makeMigration(plane, namespace, reason.toLowerCase());
  const pod = await untilPod(plane, migration, 1);
  await kubeletSays(pod, "FailedMount", message);
  const stuck = await untilReason(migration, reason);
  expect(stuck.status?.state).toBe("pending");
  expect(condition(stuck, "Running")?.message).toContain(words);
  expect(stuck.status?.log?.some((entry) => entry.level === "warning" && entry.message.includes(words))).toBe(true);
  await podRuns(plane, pod);
  await untilMigration(plane, migration, "healed", ({ status }) => status?.state === "in_progress");
  await remove(migration);
});

test("an image that the node lacks is named, and the run goes on when it is there", async () => {
  const migration = await makeMigration(plane, namespace, "image");
  const pod = await untilPod(plane, migration, 1);
  await podWaits(plane, pod, "ErrImageNeverPull");
  const stuck = await untilReason(migration, "ImageUnavailable");
  expect(condition(stuck, "Running")?.message).toContain("make the image available to the node");
  await podRuns(plane, pod);
  await untilReason(migration, "PodRunning");
  await remove(migration);
});

test("a quota that refuses the pod is named, and the run starts when it is gone", async () => {
  const tight = await makeNamespace(plane, "tight");
  await plane.kubectl(["create", "quota", "none", "--hard=pods=0", "-n", tight]);
  await until("the quota to count", async () => {
    const { out } = await plane.kubectl(["get", "quota", "none", "-n", tight, "-o", "jsonpath={.status.hard.pods}"]);
    return out === "0";
  });
  const migration = await makeMigration(plane, tight, "quota");
  const stuck = await untilReason(migration, "QuotaExceeded");
  expect(condition(stuck, "Running")?.message).toMatch(/quota refuses the worker's pod: .*exceeded quota: none/);
  await plane.kubectl(["delete", "quota", "none", "-n", tight]);
  await untilPod(plane, migration, 1);
  await untilReason(migration, "PodStarting");
  await remove(migration);
});

test("a quota that refuses the Job itself is named, and the run starts when it is gone", async () => {
  const tight = await makeNamespace(plane, "jobless");
  await plane.kubectl(["create", "quota", "none", "--hard=count/jobs.batch=0", "-n", tight]);
  await until("the quota to count", async () => {
    const { out } = await plane.kubectl(["get", "quota", "none", "-n", tight, "-o", "jsonpath={.status.hard}"]);
    return out.includes("count/jobs.batch");
  });
  const migration = await makeMigration(plane, tight, "quota");
  const stuck = await untilReason(migration, "JobRefused");
  expect(condition(stuck, "Running")?.message).toContain("exceeded quota: none");
  await plane.kubectl(["delete", "quota", "none", "-n", tight]);
  await untilPod(plane, migration, 1);
  await remove(migration);
});

test("a webhook that fails is named, and the run starts when it is gone", async () => {
  const webhook = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "broken" },
    webhooks: [
      {
        name: "broken.example.com",
        clientConfig: { url: "https://127.0.0.1:9/no" },
        rules: [{ apiGroups: ["batch"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["jobs"] }],
        ...{ failurePolicy: "Fail", sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 1 },
      },
    ],
  };
  await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(webhook) });
  await until("the webhook to be asked", async () => {
    const { err } = await plane.kubectl(["create", "job", "tried", "--image=x", "--dry-run=server", "-n", namespace]);
    return err.includes("failed calling webhook");
  });
  const migration = await makeMigration(plane, namespace, "webhook");
  const stuck = await untilReason(migration, "JobRefused");
  expect(condition(stuck, "Running")?.message).toContain('failed calling webhook "broken.example.com"');
  const { out } = await plane.kubectl(["get", "events", "-n", namespace, "-o", "jsonpath={.items[*].reason}"]);
  expect(out.split(" ")).toContain("JobRefused");
  await plane.kubectl(["delete", "validatingwebhookconfiguration", "broken"]);
  await untilPod(plane, migration, 1);
  await remove(migration);
});

test("an evicted pod costs no retry: the Job makes another, and the run stays in progress", async () => {
  const migration = await makeMigration(plane, namespace, "evicted");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilReason(migration, "PodRunning");
  await setPodStatus(plane, pod, {
    phase: "Failed",
    reason: "Evicted",
    message: "The node was low on resource: memory.",
    conditions: [
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message: "low on memory",
        lastTransitionTime: new Date().toISOString(),
      },
    ],
  });
  const second = await untilPod(plane, migration, 1, [pod.metadata.name]);
  const [job] = await jobsOf(plane, migration);
  expect(job?.status?.failed ?? 0).toBe(0);
  await podRuns(plane, second);
  const healed = await untilMigration(
    plane,
    migration,
    "the second pod",
    (now) => condition(now, "Running")?.message.includes(second.metadata.name) ?? false,
  );
  expect(healed.status?.state).toBe("in_progress");
  await remove(migration);
});

test("a pod that ends by exit code 3 is replaced at no cost, and one that ends by 2 fails the Job at once", async () => {
  const migration = await makeMigration(plane, namespace, "codes");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await podEnds(plane, pod, 3);
  const second = await untilPod(plane, migration, 1, [pod.metadata.name]);
  await podRuns(plane, second);
  await podEnds(plane, second, 2);
  const failed = await untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
  expect(condition(failed, "Failed")).toMatchObject({ reason: "WorkerFailed" });
  expect(condition(failed, "Failed")?.message).toContain("exit code 2");
  await remove(migration);
});

test("a Job deleted by hand fails the run with a sentence, and a raised attempt goes on", async () => {
  const migration = await makeMigration(plane, namespace, "byhand");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilReason(migration, "PodRunning");
  await plane.kubectl(["delete", "job", "byhand-1", "-n", namespace]);
  const failed = await untilMigration(plane, migration, "failed", ({ status }) => status?.state === "failed");
  expect(condition(failed, "Failed")).toMatchObject({ reason: "JobDeleted" });
  expect(condition(failed, "Failed")?.message).toContain("raise spec.attempt");
  expect(await jobsOf(plane, migration), "no second Job for a run whose Job is recorded").toEqual([]);
  await patchSpec(plane, migration, { attempt: 2 });
  await untilMigration(plane, migration, "run 2", ({ status }) => status?.job?.name === "byhand-2");
  await remove(migration);
});

test("a Job deleted after the result was stored leaves the Migration completed", async () => {
  const migration = await makeMigration(plane, namespace, "late");
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  await untilReason(migration, "PodRunning");
  expect(await call(plane, operator.endpoint, "/result", await tokenOfPod(plane, pod), completed())).toMatchObject({
    status: 200,
  });
  await plane.kubectl(["delete", "job", "late-1", "-n", namespace]);
  await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  await remove(migration);
});

test("a foreign Job of the run's name is left alone and named, and the run starts when it is gone", async () => {
  await plane.kubectl(["create", "job", "taken-1", "--image=x", "-n", namespace]);
  const migration = await makeMigration(plane, namespace, "taken");
  const stuck = await untilReason(migration, "JobNameTaken");
  expect(condition(stuck, "Running")?.message).toContain("taken-1");
  expect(stuck.status?.job).toBeUndefined();
  await plane.kubectl(["delete", "job", "taken-1", "-n", namespace]);
  await untilMigration(plane, migration, "its own Job", ({ status }) => status?.job !== undefined);
  await remove(migration);
});
