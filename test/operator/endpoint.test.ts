import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSealingKey } from "../../src/guard/seal.ts";
import { group } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type Job, kinds, type Pod } from "../../src/resources/objects.ts";
import { memoryInCore } from "../core-files.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, failedOutcome, podEnds, podRuns, report, tokenOf, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  condition,
  home,
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { publishedKey, sealedSpec } from "./sealing.ts";
import { borrowControlPlane } from "./shared.ts";

/** Who may ask for work and say how it goes, and what is done with what they say. */

let plane: PlaneClient;
let operator: OperatorProcess;
let second: OperatorProcess;
let migration: Migration;
let pod: Pod;
let token: string;

beforeAll(async () => {
  plane = borrowControlPlane();
  const kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
  [operator, second] = await Promise.all([
    startOperator(plane, kubeconfig, "one"),
    startOperator(plane, kubeconfig, "two"),
  ]);
  migration = await makeMigration(plane, "team", "shop");
  pod = await untilPod(plane, migration, 1);
  token = await tokenOfPod(plane, pod);
  await until(
    "the Job's record",
    async () => (await call(plane, operator.endpoint, "/work", token, {})).status === 200,
  );
});
afterAll(async () => {
  await Promise.all([operator?.stop(), second?.stop()]);
  await plane?.stop();
});

const post = (path: string, bearer: string | undefined, body: unknown = {}) =>
  call(plane, operator.endpoint, path, bearer, body);

describe("who is refused", () => {
  test.each([
    ["no token", async () => undefined, 401],
    ["something that is no token", async () => "abc", 401],
    ["a token for the API server's audience", () => tokenOfPod(plane, pod, ["https://kubernetes.default.svc"]), 401],
    ["a token that is bound to no pod", () => tokenOf(plane, undefined, "team"), 401],
    [
      "a pod that is no Migration's",
      async () => {
        const other = await plane.admin.client.create(kinds.pods, {
          metadata: { name: "stranger", namespace: "team" },
          spec: { containers: [{ name: "c", image: "x" }] },
        } as unknown as Pod);
        return tokenOfPod(plane, other);
      },
      409,
    ],
    [
      "a pod that carries the labels of the Migration but not its Job",
      async () => {
        const { annotations } = pod.metadata;
        // Not those of the Job controller, which would take the pod for its own and stop one of the two.
        const own = Object.entries(pod.metadata.labels ?? {}).filter(([name]) => name.startsWith(group));
        const labels = Object.fromEntries(own);
        const other = await plane.admin.client.create(kinds.pods, {
          metadata: { name: "pretender", namespace: "team", labels, annotations },
          spec: { containers: [{ name: "c", image: "x" }] },
        } as unknown as Pod);
        return tokenOfPod(plane, other);
      },
      409,
    ],
    [
      "a pod of somebody's Job that carries the labels of the Migration",
      async () => {
        const { annotations } = pod.metadata;
        const own = Object.entries(pod.metadata.labels ?? {}).filter(([name]) => name.startsWith(group));
        await plane.admin.client.create(kinds.jobs, {
          metadata: { name: "forger", namespace: "team" },
          spec: {
            template: {
              metadata: { labels: Object.fromEntries(own), annotations },
              spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] },
            },
          },
        } as unknown as Job);
        const forged = await until("the forger's pod", async () => {
          const pods = await plane.admin.client.list(kinds.pods, {
            namespace: "team",
            labelSelector: "batch.kubernetes.io/job-name=forger",
          });
          return pods[0];
        });
        return tokenOfPod(plane, forged);
      },
      409,
    ],
  ] as [string, () => Promise<string | undefined>, number][])("%s", async (_what, bearer, status) => {
    const made = await bearer();
    for (const path of ["/work", "/progress", "/result"]) {
      const body = path === "/progress" ? report(1) : path === "/result" ? completed() : {};
      expect((await post(path, made, body)).status, path).toBe(status);
    }
    expect((await readMigration(plane, migration)).status?.result).toBeUndefined();
  });

  test("a pod whose Job was made for a run that is over", async () => {
    const old = await makeMigration(plane, "team", "old");
    const first = await untilPod(plane, old, 1);
    const bearer = await tokenOfPod(plane, first);
    await podRuns(plane, first);
    await until("work", async () => (await post("/work", bearer)).status === 200);
    await patchSpec(plane, old, { reset: 1 });
    expect((await post("/work", bearer)).status).toBe(409);
    await untilMigration(plane, old, "run 2", ({ status }) => status?.run === 2);
    expect((await post("/result", bearer, completed())).status).toBe(409);
  });

  test("a pod of the run before a reset, from the moment in which the reset is asked for", async () => {
    const asked = await makeMigration(plane, "team", "asked");
    const first = await untilPod(plane, asked, 1);
    const bearer = await tokenOfPod(plane, first);
    await podRuns(plane, first);
    const [leader, follower] = operator.leading() ? [operator, second] : [second, operator];
    const statusOf = async (path: string, body: unknown) =>
      (await call(plane, follower.endpoint, path, bearer, body)).status;
    await until("work", async () => (await statusOf("/work", {})) === 200);
    // Nobody can act on the reset meanwhile, so that the status is still that of the run before.
    leader.child.kill("SIGSTOP");
    try {
      await patchSpec(plane, asked, { reset: 1 });
      expect(await statusOf("/work", {})).toBe(409);
      expect(await statusOf("/progress", report(1))).toBe(409);
      expect(await statusOf("/result", completed())).toBe(409);
      expect((await readMigration(plane, asked)).status).toMatchObject({ run: 1, reset: 0 });
    } finally {
      leader.child.kill("SIGCONT");
    }
    await untilMigration(plane, asked, "run 2", ({ status }) => status?.run === 2);
    // A namespace has five places for runs, which later tests need.
    await plane.kubectl(["delete", "migration", "asked", "-n", "team"]);
  });

  test("a token of a pod that was deleted, even while its review is remembered", async () => {
    const gone = await makeMigration(plane, "team", "gone");
    const first = await untilPod(plane, gone, 1);
    const bearer = await tokenOfPod(plane, first);
    await until("work", async () => (await post("/work", bearer)).status === 200);
    await plane.kubectl(["delete", "migration", "gone", "-n", "team"]);
    await until("409", async () => (await post("/work", bearer)).status === 409);
    expect((await post("/progress", bearer, report(1))).status).toBe(409);
  });

  test("a token of a pod that was deleted, when another pod has its name", async () => {
    const named = await makeMigration(plane, "team", "named");
    const first = await untilPod(plane, named, 1);
    const bearer = await tokenOfPod(plane, first);
    await until("work", async () => (await post("/work", bearer)).status === 200);
    const { name, labels, annotations, ownerReferences, uid } = first.metadata;
    // At once, as on a node whose kubelet is gone; a finalizer of the Job controller's would hold it.
    await plane.kubectl(["patch", "pod", name, "-n", "team", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
    await plane.kubectl(["delete", "pod", name, "-n", "team", "--grace-period=0", "--force"]);
    const again = await until("a pod of its name", () =>
      plane.admin.client.create(kinds.pods, {
        metadata: { name, namespace: "team", labels, annotations, ownerReferences },
        spec: { containers: [{ name: "c", image: "x" }] },
      } as unknown as Pod),
    );
    expect(again.metadata.uid).not.toBe(uid);
    expect((await post("/work", bearer)).status).toBe(409);
  });
});

describe("what is refused", () => {
  test.each([
    ["another path", "/else", {}, 404],
    ["a body that is not JSON", "/progress", "{", 400],
    ["a body of another shape", "/progress", { log: "x" }, 422],
    [
      "a message that is too long",
      "/progress",
      { log: [{ time: new Date().toISOString(), level: "info", message: "x".repeat(2000) }] },
      422,
    ],
    ["a body that is too large", "/work", { x: "x".repeat(2000) }, 413],
    ["a result of another shape", "/result", { outcome: "fine" }, 422],
  ])("%s", async (_what, path, body, status) => {
    const answer = await post(path, token, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status });
  });
});

test("any replica answers, with one CA, and only one of them leads", async () => {
  for (const one of [operator, second]) expect((await call(plane, one.endpoint, "/work", token, {})).status).toBe(200);
  await until("a leader", () => operator.leading() !== second.leading());
  const leases = await plane.admin.client.list(kinds.leases, { namespace: home });
  expect(leases.map((lease) => lease.metadata.name)).toEqual(["rowferry-operator"]);
});

test("progress is written at most every two seconds at first, the latest of what was said, and always the result", async () => {
  const one = await makeMigration(plane, "team", "steps");
  const its = await untilPod(plane, one, 1);
  const bearer = await tokenOfPod(plane, its);
  await until("work", async () => (await post("/work", bearer)).status === 200);
  const writes = () =>
    plane
      .audit()
      .filter(
        (entry) =>
          entry.objectRef?.name === "steps" &&
          entry.objectRef.subresource === "status" &&
          entry.requestURI.includes("fieldManager=rowferry-worker"),
      ).length;
  const begun = performance.now();
  for (let done = 1; done <= 9; done += 1)
    expect((await post("/progress", bearer, report(done * 10))).status).toBe(200);
  const mostWrites = () => 1 + Math.floor((performance.now() - begun) / 2000);
  expect(writes()).toBeLessThanOrEqual(mostWrites());
  const latest = await untilMigration(plane, one, "the latest", ({ status }) => status?.progress?.rows.done === 90);
  // A request is in the audit log once it is answered, which is after it is seen.
  await until("its line in the audit log", () => writes() >= 2);
  expect(writes()).toBeLessThanOrEqual(mostWrites());
  expect(latest.status?.columns?.progress).toBe("9% copying");
  await post("/progress", bearer, report(500));
  expect((await post("/result", bearer, failedOutcome("unsupported_type", "bad\u001b[31m\u0007news"))).status).toBe(
    200,
  );
  const result = await readMigration(plane, one);
  expect(result.status?.result).toMatchObject({
    outcome: "failed",
    reason: "unsupported_type",
    message: "bad [31m news",
  });
  expect(result.status?.columns?.progress).not.toBe("50% copying");
  expect((await post("/result", bearer, completed())).status, "another result than the one that is stored").toBe(409);
});

test("work says of a run whether its result is stored, so that no pod copies again", async () => {
  const its = await untilPod(plane, await makeMigration(plane, "team", "stored"), 1);
  const bearer = await tokenOfPod(plane, its);
  const work = await until("work", async () => {
    const answer = await post("/work", bearer);
    return answer.status === 200 ? answer : undefined;
  });
  expect(work.body).not.toHaveProperty("isStored");
  expect((await post("/result", bearer, completed())).status).toBe(200);
  expect(await post("/work", bearer)).toMatchObject({ status: 200, body: { isStored: true } });
  // Makes room for the next test's run.
  await podEnds(plane, its, 0);
});

test("the last report of a pod is stored at once, so that the next pod counts on what it read", async () => {
  const one = await makeMigration(plane, "team", "last");
  const bearer = await tokenOfPod(plane, await untilPod(plane, one, 1));
  await until("work", async () => (await post("/work", bearer)).status === 200);
  for (const finished of [10, 20, 30]) await post("/progress", bearer, { ...report(1), finished });
  expect((await post("/progress", bearer, { ...report(2), finished: 70, isLast: true })).status).toBe(200);
  expect((await readMigration(plane, one)).status).toMatchObject({ finished: 70, progress: { rows: { done: 2 } } });
  // Makes room for the next test's run.
  expect((await post("/result", bearer, failedOutcome())).status).toBe(200);
});

test("a sealed URL is opened for the worker, and one that was sealed for elsewhere is refused without a word of it", async () => {
  const key = await publishedKey(plane);
  expect(Object.keys(key).sort()).toEqual(["envelopesFrom", "id", "key"]);
  const url = "mysql://u:plant3d-p4ssword@db.example.com/shop";
  const sealed = await sealedSpec(key, { namespace: "team", name: "sealed", source: url });
  const good = await makeMigration(plane, "team", "sealed", sealed);
  const bearer = await tokenOfPod(plane, await untilPod(plane, good, 1));
  const work = await until("work", async () => {
    const answer = await post("/work", bearer);
    return answer.status === 200 ? answer : undefined;
  });
  expect(work.body).toMatchObject({ source: { url }, target: { folder: "/var/run/rowferry/target" } });

  const moved = await makeMigration(plane, "team", "moved", sealed);
  const other = await tokenOfPod(plane, await untilPod(plane, moved, 1));
  const refused = await until("an answer", async () => {
    const answer = await post("/work", other);
    return answer.status === 503 ? undefined : answer;
  });
  expect(refused).toMatchObject({ status: 409, body: { code: "seal_refused" } });
  const failed = await untilMigration(plane, moved, "failed", ({ status }) => status?.state === "failed");
  expect(condition(failed, "Failed")).toMatchObject({ reason: "SealRefused" });
  expect(condition(failed, "Failed")?.message).toContain("spec.source: the sealed URL cannot be opened");
  const foreign = await makeSealingKey("x");
  expect(JSON.stringify(refused.body)).not.toContain("plant3d");
  expect(foreign.key).not.toBe(key.key);

  const everything = await Promise.all([
    plane.kubectl(["get", "migrations,jobs,pods,configmaps,events", "-A", "-o", "json"]),
    Promise.resolve({ out: JSON.stringify([...operator.lines, ...second.lines]) }),
  ]);
  for (const { out } of everything) expect(out).not.toContain("plant3d-p4ssword");
  for (const { child } of [operator, second]) expect(memoryInCore(child.pid)).toBe(0);
});
