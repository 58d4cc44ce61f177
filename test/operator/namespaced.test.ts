import { afterAll, beforeAll, expect, test } from "vitest";
import { requestToken } from "../../dev/cluster/processes/kubelet/token.ts";
import { type Connection, connect, createClient } from "../../src/cluster/index.ts";
import { reviewOf } from "../../src/main/operator/review.ts";
import { apiVersion } from "../../src/resources/group.ts";
import { type Kind, type KubeObject, kinds, pathOf } from "../../src/resources/objects.ts";
import { chart, find, type Rendered, render, run, tool } from "../chart/tools.ts";
import { applyObjects } from "./apply.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, report, tokenOf, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  account,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/**
 * An operator whose account has what `helm template` renders with `watchNamespaces` and nothing else: Roles. A person without rights on
 * the cluster installs it, after somebody else has installed the kinds.
 */

const home = "tenant";
const watched = ["shop", "sales"];
const other = "elsewhere";
const user = `system:serviceaccount:${home}:${account}`;

let plane: PlaneClient;
let rendered: Rendered[];
let operator: OperatorProcess;
/** With the operator's own token. */
let own: Connection;

interface Deployment {
  spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } };
}

/** As the chart sets it, but for where the operator listens. */
function environment(): Record<string, string> {
  const [{ env }] = find<Deployment>(rendered, "Deployment").spec.template.spec.containers;
  const set = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const { ROWFERRY_ENDPOINT_URL: _url, ...rest } = Object.fromEntries(set) as Record<string, string>;
  return { ...rest, ROWFERRY_NAMESPACE: home, ROWFERRY_LEASE_SECONDS: "3" };
}

async function start(name: string): Promise<OperatorProcess> {
  const token = await requestToken(plane.admin.connection, {
    ...{ namespace: home, account, audiences: [], expirationSeconds: 3600 },
  });
  const kubeconfig = plane.kubeconfigFor(`${home}-${name}`, token);
  own = connect({ kubeconfig });
  return startOperator(plane, kubeconfig, name, environment());
}

/** Answers the kubeconfig of an account that may do anything in these namespaces, and nothing in the cluster. */
async function installer(): Promise<string> {
  const rbac = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "ServiceAccount", name: "installer", namespace: home }];
  await applyObjects(plane, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "installer", namespace: home } },
    ...[home, ...watched].map((namespace) => ({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "installer", namespace },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      subjects,
    })),
  ]);
  const wanted = { namespace: home, account: "installer", audiences: [] };
  const kubeconfig = plane.kubeconfigFor("installer", await requestToken(plane.admin.connection, wanted));
  const connection = connect({ kubeconfig });
  // Rights that were granted a moment ago are seen a moment later.
  await until("the installer's rights", () =>
    connection.send({ method: "GET", path: pathOf(kinds.roleBindings, "sales") }).then(() => true),
  );
  connection.close();
  return kubeconfig;
}

/** Requests of the operator that the API server refused. */
const refused = () =>
  plane
    .audit()
    .filter((entry) => entry.user.username === user && entry.responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);

beforeAll(async () => {
  plane = borrowControlPlane();
  for (const name of [home, ...watched, other]) await makeNamespace(plane, name);
  const values = { watchNamespaces: watched, api: { enabled: false }, backups: { enabled: true } };
  rendered = await render(values, home);
  const args = ["install", "rowferry", chart, `--namespace=${home}`, `--kubeconfig=${await installer()}`, "--values=-"];
  const { code, stderr } = await run(await tool("helm"), args, JSON.stringify(values));
  if (code !== 0) throw new Error(stderr);
  operator = await start("one");
  await until("a leader", () => operator.leading());
});
afterAll(async () => {
  own?.close();
  await operator?.stop();
  await plane?.stop();
});

test("a Migration in a watched namespace runs to its end, and one elsewhere is left alone", async () => {
  const ignored = await makeMigration(plane, other, "shop");
  const migration = await makeMigration(plane, "shop", "shop");
  await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  const pod = await untilPod(plane, migration, 1);
  const token = await tokenOfPod(plane, pod);
  expect(await call(plane, operator.endpoint, "/work", token, {}, home)).toMatchObject({ status: 200 });
  await podRuns(plane, pod);
  const sent = report(410, "copying", ["Copying 10 tables"]);
  expect(await call(plane, operator.endpoint, "/progress", token, sent, home)).toMatchObject({ status: 200 });
  const archive = Buffer.from("{}").toString("base64");
  expect(await call(plane, operator.endpoint, "/result", token, completed(archive), home)).toMatchObject({
    status: 200,
  });
  await podEnds(plane, pod, 0);
  await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  await until("its events", async () => {
    const { out } = await plane.kubectl(["events", "-n", "shop", "--for", "migration/shop", "-o", "json"]);
    const reasons = (JSON.parse(out) as { items: { reason: string }[] }).items.map(({ reason }) => reason);
    return reasons.includes("Started") && reasons.includes("Completed");
  });

  const second = await makeMigration(plane, "sales", "shop");
  await untilMigration(
    plane,
    second,
    "a Job in the other watched namespace",
    ({ status }) => status?.job !== undefined,
  );
  await patchSpec(plane, second, { suspend: true });
  expect((await readMigration(plane, ignored)).status).toBeUndefined();
  expect(await jobsOf(plane, ignored)).toEqual([]);
});

test("a backup into a bucket that its run names starts too", async () => {
  const run = { apiVersion, kind: "BackupRun", metadata: { name: "b", namespace: "shop" } };
  const bucket = { region: "eu-central-1", bucket: "backups", secretRef: { name: "bucket" } };
  const spec = { source: { secretRef: { name: "source" } }, storage: { bucket } };
  await applyObjects(plane, [{ ...run, spec }]);
  const job = await until("a Job of the backup", async () => {
    const found = await plane.admin.client.get(kinds.backupRuns, "shop", "b");
    return found?.status?.job?.name;
  });
  expect(await plane.admin.client.get(kinds.jobs, "shop", job)).toBeDefined();
});

test("tokens of pods elsewhere, and tokens that are no worker's, are refused", async () => {
  const say = async (token: string) => (await call(plane, operator.endpoint, "/work", token, {}, home)).body.code;
  const migration = await makeMigration(plane, "shop", "tokens");
  const { metadata } = await untilPod(plane, migration, 1);
  const pod = { namespace: "shop", name: metadata.name, uid: metadata.uid ?? "" };
  expect(await say(await tokenOf(plane, pod, "shop", ["https://kubernetes.default.svc"]))).toBe("token_refused");
  expect(await say(await tokenOf(plane, undefined, "shop"))).toBe("token_refused");
  await applyObjects(plane, [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "mine", namespace: other },
      spec: { containers: [{ name: "a", image: "b" }] },
    },
  ]);
  const foreign = await plane.admin.client.get(kinds.pods, other, "mine");
  const its = { namespace: other, name: "mine", uid: foreign?.metadata.uid ?? "" };
  expect(await say(await tokenOf(plane, its, other))).toBe("token_refused");
  // The token itself is good for another half an hour or more.
  const token = await tokenOf(plane, pod, "shop");
  await until("work", async () => (await say(token)) === undefined);
  // A finalizer of the Job controller's would hold it.
  await plane.admin.client.mergePatch(kinds.pods, "shop", pod.name, { metadata: { finalizers: null } });
  await plane.admin.client.remove(kinds.pods, "shop", pod.name, pod.uid, undefined, 0);
  expect(await say(token)).toBe("not_current");
});

test("the operator needs nothing that its Roles do not give, and gets nothing else", async () => {
  expect(refused(), "of all its work so far").toEqual([]);
  const rolesOf = rendered.filter(({ kind }) => kind.startsWith("ClusterRole"));
  expect(rolesOf).toEqual([]);

  const get = (kind: Kind<KubeObject>, namespace?: string) =>
    ({ method: "GET", path: pathOf(kind, namespace) }) as const;
  const post = (kind: Kind<KubeObject>, namespace: string | undefined, body: object) =>
    ({ method: "POST", path: pathOf(kind, namespace), body }) as const;
  const pod = { metadata: { name: "x" }, spec: { containers: [{ name: "a", image: "b" }] } };
  const clusterRoles = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", plural: "clusterroles" };
  const tried = [
    ...[kinds.migrations, kinds.jobs, kinds.pods, kinds.secrets, kinds.configMaps, kinds.backupRuns].map((kind) =>
      get(kind),
    ),
    ...[kinds.teams, kinds.accounts, kinds.tokens, kinds.namespaces, clusterRoles].map((kind) => get(kind)),
    ...[kinds.migrations, kinds.jobs, kinds.pods, kinds.secrets].map((kind) => get(kind, other)),
    ...["shop", home].map((namespace) => get(kinds.secrets, namespace)),
    ...["shop", other].map((namespace) => post(kinds.pods, namespace, pod)),
    post(kinds.jobs, other, { metadata: { name: "x" }, spec: { template: { spec: { ...pod.spec } } } }),
    post(kinds.tokenReviews, undefined, { spec: { token: "x" } }),
    post(kinds.roleBindings, "shop", { metadata: { name: "x" }, roleRef: {}, subjects: [] }),
    post({ apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts/default/token" }, "shop", { spec: {} }),
  ];
  for (const request of tried) {
    const answer = own.send(request).then(
      () => "allowed",
      (error: { status?: number }) => error.status,
    );
    expect(await answer, `${request.method} ${request.path}`).toBe(403);
  }
});

test("a namespace that takes the Role away does not hold up the others at the next start", async () => {
  await operator.stop();
  for (const kind of [kinds.roleBindings, { ...kinds.roleBindings, kind: "Role", plural: "roles" }]) {
    const path = pathOf(kind, "sales", `${account}-migrations`);
    await plane.admin.connection.send({ method: "DELETE", path });
  }
  own.close();
  operator = await start("two");
  await until("a leader", () => operator.leading());
  const migration = await makeMigration(plane, "shop", "later");
  const there = await untilMigration(plane, migration, "a Job", ({ status }) => status?.job !== undefined);
  expect(there.status?.job?.name).toBe("later-1");

  // Once it is given again, the operator works there without a start.
  await applyObjects(
    plane,
    rendered.filter(({ kind, metadata }) => kind.startsWith("Role") && metadata.namespace === "sales"),
  );
  const again = await makeMigration(plane, "sales", "again");
  const back = await untilMigration(plane, again, "a Job", ({ status }) => status?.job !== undefined, 60_000);
  expect(back.status?.job?.name).toBe("again-1");
});

test("where the cluster does not publish the keys of its tokens to service accounts, the operator says so", async () => {
  const given = { client: createClient(own), connection: own, now: Date.now };
  const review = await reviewOf(watched, given);
  const migration = await makeMigration(plane, "shop", "keys");
  const pod = await untilPod(plane, migration, 1);
  expect(await review(await tokenOfPod(plane, pod))).toMatchObject({ pod: pod.metadata.name });

  const rbac = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const path = `${rbac}/system:service-account-issuer-discovery`;
  await plane.admin.connection.send({ method: "DELETE", path });
  const refusal = await until("the refusal", () =>
    reviewOf(watched, given).then(
      () => undefined,
      (error: Error) => error,
    ),
  );
  expect(refusal).toMatchObject({ code: "Forbidden", status: 403 });
  expect(refusal.message).toMatch(/openid/);
});
