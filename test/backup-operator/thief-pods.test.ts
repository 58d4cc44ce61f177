import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import { namespaceOf } from "../../src/resources/team.ts";
import { audience } from "../../src/worker/protocol.ts";
import { until } from "../operator/control-plane.ts";
import { call, tokenOfPod } from "../operator/kubelet.ts";
import { object, type Scene, startScene } from "./support.ts";

/**
 * A thief who has every right on pods, Jobs and tokens in a team's namespace wants the credentials of the installation's bucket,
 * which open every team's backups: a worker of a BackupRun is given them, for a token of its pod.
 */

const team = "t0123456789abcdefghij";
const namespace = namespaceOf(team);
const secret = "s3cret-of-the-installation";
let scene: Scene;
let worker: Pod;

beforeAll(async () => {
  scene = await startScene({ team, installed: { accessKeyId: "AKID", secretAccessKey: secret } });
  const { plane, apply } = scene;
  // The worker's pod stays as it is made.
  await scene.node.stop();
  const rbac = "rbac.authorization.k8s.io";
  const pods = [
    "pods",
    "pods/exec",
    "pods/attach",
    "pods/portforward",
    "pods/proxy",
    "pods/ephemeralcontainers",
    "serviceaccounts/token",
  ];
  await apply(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name: "thief", namespace } },
      rules: [
        { apiGroups: [""], resources: pods, verbs: ["*"] },
        { apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] },
      ],
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata: { name: "thief", namespace } },
      roleRef: { apiGroup: rbac, kind: "Role", name: "thief" },
      subjects: [{ apiGroup: rbac, kind: "User", name: "thief" }],
    },
  );
  await scene.secret("shop", { url: "postgres://reader:pw@127.0.0.1:9/shop" });
  await apply(object("BackupRun", namespace, "nightly", { source: { secretRef: { name: "shop" } } }));
  worker = await until("the worker's pod", async () => {
    const [pod] = await plane.admin.client.list(kinds.pods, { namespace });
    return pod;
  });
});
afterAll(() => scene?.stop());

const as = (user: string, args: string[], input?: string) =>
  scene.plane.kubectl(["-n", namespace, `--as=${user}`, ...args], input === undefined ? {} : { input });
const create = (user: string, made: object) => as(user, ["create", "-f", "-"], JSON.stringify(made));
const refused = "ValidatingAdmissionPolicy 'rowferry-workers'";

const tokenVolume = (of = audience) => ({
  name: "token",
  projected: { sources: [{ serviceAccountToken: { path: "token", audience: of } }] },
});
/** As the Pod Security Standard of team namespaces demands. */
const container = (more: object = {}) => ({
  ...{ name: "thief", image: "thief.example/tools:1", ...more },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
});
const podSpec = (more: object = {}) => ({
  restartPolicy: "Never",
  securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
  containers: [container()],
  ...more,
});
/** Everything by which the operator knows a worker's pod. */
const passing = () => ({
  labels: worker.metadata.labels,
  annotations: { [labels.owner]: worker.metadata.annotations?.[labels.owner] ?? "" },
  ownerReferences: worker.metadata.ownerReferences,
});
const pod = (name: string, spec: object, metadata: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { name, namespace, ...metadata },
  spec: podSpec(spec),
});
const job = (name: string, spec: object) => ({
  ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace } },
  spec: { template: { spec: podSpec(spec) } },
});

test("the Job controller's pod of a BackupRun gets the installation's credentials, which is what a thief wants", async () => {
  const answer = await until("an answer", async () => {
    const got = await call(scene.plane, scene.operator.endpoint, "/work", await tokenOfPod(scene.plane, worker), {});
    return got.status === 503 ? undefined : got;
  });
  expect(answer).toMatchObject({ status: 200, body: { storage: { credentials: { secretAccessKey: secret } } } });
});

describe("a thief", () => {
  test("makes no pod with a worker's token, whatever it passes for", async () => {
    for (const metadata of [{}, passing()]) {
      const { code, err } = await create("thief", pod("passes", { volumes: [tokenVolume()] }, metadata));
      expect(code).not.toBe(0);
      expect(err).toContain(refused);
      expect(err).toContain("made by the Job controller alone");
    }
  });

  test("makes no Job whose pods would have one", async () => {
    const { code, err } = await create("thief", job("passes", { volumes: [tokenVolume()] }));
    expect(code).not.toBe(0);
    expect(err).toContain("a Job whose pods have a worker's token is made by the operator alone");
  });

  test.each([
    ["replicaset-controller", "system:serviceaccount:kube-system:replicaset-controller"],
    ["cronjob-controller", "system:serviceaccount:kube-system:cronjob-controller"],
    ["all controllers under one name", "system:kube-controller-manager"],
  ])("gets none from what the %s makes of its objects", async (_name, controller) => {
    const admin = await scene.plane.kubectl([
      ...["create", "rolebinding", `as-${_name.replaceAll(" ", "-")}`, "-n", namespace],
      ...["--clusterrole=cluster-admin", `--user=${controller}`],
    ]);
    expect(admin.code, admin.err).toBe(0);
    const owned = {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "1", controller: true }],
    };
    for (const made of [
      pod("of-a-set", { volumes: [tokenVolume()] }, owned),
      job("of-a-cron", { volumes: [tokenVolume()] }),
    ]) {
      const { code, err } = await create(controller, made);
      expect(code, made.kind).not.toBe(0);
      expect(err).toContain(refused);
    }
  });

  test("is given no token for the operator, bound to a worker's pod or not", async () => {
    const bound = [`--bound-object-kind=Pod`, `--bound-object-name=${worker.metadata.name}`];
    for (const more of [[], [...bound, `--bound-object-uid=${worker.metadata.uid}`]]) {
      const { code, err } = await as("thief", ["create", "token", "default", `--audience=${audience}`, ...more]);
      expect(code).not.toBe(0);
      expect(err).toContain("only nodes request them");
    }
  });

  test("puts no image of its own into a worker's pod, and no container beside it", async () => {
    const image = `{"spec":{"containers":[{"name":"worker","image":"thief.example/tools:1"}]}}`;
    const changed = await as("thief", ["patch", "pod", worker.metadata.name, "-p", image]);
    expect(changed.code).not.toBe(0);
    expect(changed.err).toContain("a worker keeps its images");
    const beside = JSON.stringify({ spec: { ephemeralContainers: [container({ name: "beside" })] } });
    const added = await as("thief", [
      ...["patch", "pod", worker.metadata.name, "--subresource=ephemeralcontainers", "-p", beside],
    ]);
    expect(added.code).not.toBe(0);
    expect(added.err).toContain("nothing is added to a worker");
  });

  test("runs no command in a worker, and reaches no port of its", async () => {
    for (const words of [
      ["get", "--raw", `/api/v1/namespaces/${namespace}/pods/${worker.metadata.name}/portforward?ports=5432`],
      ["get", "--raw", `/api/v1/namespaces/${namespace}/pods/${worker.metadata.name}:5432/proxy/`],
      ["exec", worker.metadata.name, "--", "cat", "/x"],
      ["attach", worker.metadata.name],
    ]) {
      const { code, err } = await as("thief", words);
      expect(code).not.toBe(0);
      expect(err).toContain("nobody runs commands or reaches ports of pods in a team's namespace");
    }
  });

  test("has a pod of its own, whose tokens the operator does not take", async () => {
    const made = await create("thief", pod("own", { volumes: [tokenVolume("thiefs")] }, passing()));
    expect(made.code, made.err).toBe(0);
    const own = await scene.plane.admin.client.get(kinds.pods, namespace, "own");
    if (own === undefined) throw new Error("the pod is not there");
    const token = await tokenOfPod(scene.plane, own, ["thiefs"]);
    const answer = await call(scene.plane, scene.operator.endpoint, "/work", token, {});
    expect(answer.status).toBe(401);
    expect(JSON.stringify(answer)).not.toContain(secret);
  });
});

test("outside of teams' namespaces nobody gets the installation's credentials, also where somebody else took a team's name", async () => {
  const { plane, apply, operator } = scene;
  for (const other of ["theirs", namespaceOf("t9999999999abcdefghij")]) {
    const made = await plane.kubectl(["create", "namespace", other]);
    expect(made.code, made.err).toBe(0);
    const source = { secretRef: { name: "shop" } };
    await apply(object("BackupRun", other, "nightly", { source }));
    const run = await until("a condition", async () => {
      const found = await plane.admin.client.get(kinds.backupRuns, other, "nightly");
      return found?.status?.conditions?.some(({ reason }) => reason === "StorageMissing") ? found : undefined;
    });
    expect(run.status?.job).toBeUndefined();
    expect(await plane.admin.client.list(kinds.pods, { namespace: other })).toEqual([]);
  }
  const taken = "t8888888888abcdefghij";
  const made = await plane.kubectl(["create", "namespace", namespaceOf(taken)]);
  expect(made.code, made.err).toBe(0);
  const spec = { title: "Late", members: [{ account: "owner", role: "owner" }] };
  await apply({ apiVersion, kind: "Team", metadata: { name: taken }, spec });
  await apply(object("BackupRun", namespaceOf(taken), "nightly", { source: { secretRef: { name: "shop" } } }));
  const passing = await until("the worker's pod", async () => {
    const [found] = await plane.admin.client.list(kinds.pods, { namespace: namespaceOf(taken) });
    return found;
  });
  const answer = await until("an answer", async () => {
    const got = await call(plane, operator.endpoint, "/work", await tokenOfPod(plane, passing), {});
    return got.status === 503 ? undefined : got;
  });
  expect(answer.status).not.toBe(200);
  expect(JSON.stringify(answer)).not.toContain(secret);
});
